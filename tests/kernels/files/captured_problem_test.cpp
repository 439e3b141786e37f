// How the answer of a captured launch is compared with the captured one. No device is needed.

#include "kernels/files/captured_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/files/kernel_family.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::test {
namespace {

using Bytes = std::vector<std::byte>;

/// A window of 8192 floats, of which the launch writes the second half: 1, 2, 3 ...
class Captured : public testing::Test {
 protected:
  static constexpr std::size_t count = 8192;

  /// `first`: elements of the first of two windows, or all.
  std::unique_ptr<Problem> problem(double relative = 0, std::optional<ElementType> type = {},
                                   std::size_t first = count) const {
    file::KernelSpec spec;
    spec.folder = folder_.path("");
    spec.outside = true;
    spec.launches = {
        {.file = file::captured_variant, .kernel = "k", .grid = {"1"}, .block = {"32"}}};
    spec.reference.kind = file::ReferenceSpec::Kind::array;
    spec.relative = relative;
    auto& captured = spec.captured.emplace();
    captured.launch.kernel = kernel_;
    captured.launch.windows = {{.address = 1 << 21, .bytes = 4 * first}};
    if (first < count) {
      captured.launch.windows.push_back({.address = 1 << 22, .bytes = 4 * (count - first)});
    }
    captured.type = type;
    return std::make_shared<const file::KernelFamily>(std::move(spec))->make({}, {});
  }
  static std::vector<float> answer(const std::function<float(std::size_t)>& error) {
    std::vector<float> values(count, 0.0F);
    for (std::size_t i = count / 2; i < count; ++i) {
      values[i] = static_cast<float>(i - count / 2 + 1) * (1 + error(i));
    }
    return values;
  }
  static Bytes bytes(const std::vector<float>& values) {
    Bytes all(4 * values.size());
    std::memcpy(all.data(), values.data(), all.size());
    return all;
  }
  Captured() {
    folder_.write("before.bin", std::string(4 * count, '\0'));
    const auto after = bytes(answer([](auto) { return 0.0F; }));
    folder_.write("changes.bin", {reinterpret_cast<const char*>(after.data()), after.size()});
  }
  /// After the replays that the problem wants, each with such an error.
  static void replay(Problem& problem, const std::function<float(std::size_t, int)>& error) {
    for (int run = 0; problem.wants_output(); ++run) {
      problem.take_output(bytes(answer([&](auto i) { return error(i, run); })));
    }
  }
  TemporaryFolder folder_;
  std::string kernel_ = "k";
};

using CapturedProblem = Captured;

TEST_F(CapturedProblem, BytesAreComparedWhereReplaysAreEqual) {
  const auto made = problem();
  replay(*made, [](auto, int) { return 0.0F; });
  const auto good = bytes(answer([](auto) { return 0.0F; }));
  EXPECT_TRUE(made->verify(good, 1).passed);
  EXPECT_TRUE(dynamic_cast<const file::CapturedProblem&>(*made).repeats());
  auto one = good;
  one[4 * 5000] ^= std::byte{1};
  const auto check = made->verify(one, 1);
  EXPECT_FALSE(check.passed);
  EXPECT_NE(check.detail.find("1 bytes differ"), std::string::npos) << check.detail;
  EXPECT_NE(check.detail.find("address 0x204e20"), std::string::npos) << check.detail;
  auto outside = good;
  outside[4] = std::byte{1};
  EXPECT_FALSE(made->verify(outside, 1).passed) << "the first half is not the launch's";
}

TEST_F(CapturedProblem, SumsInAnotherOrderAreLearntFromReplays) {
  const auto made = problem();
  replay(*made, [](auto i, int run) { return 1e-6F * static_cast<float>((i + run) % 3); });
  const auto near =
      made->verify(bytes(answer([](auto i) { return 2e-6F * std::sin(float(i)); })), 1);
  EXPECT_TRUE(near.passed) << near.detail;
  EXPECT_NE(near.measure.find("the spread of 3 replays"), std::string::npos) << near.measure;
  EXPECT_NE(near.measure.find("f32"), std::string::npos) << near.measure;
  EXPECT_FALSE(made->verify(bytes(answer([](auto) { return 1e-3F; })), 1).passed);
  EXPECT_FALSE(made->verify(Bytes(4 * count), 1).passed) << "nothing was written";
}

TEST_F(CapturedProblem, FloatsOfAKernelThatNamesHalvesAreNoHalves) {
  kernel_ = "attention_f16";
  std::vector<float> values(count, 0.0F);
  for (std::size_t i = count / 2; i < count; ++i) values[i] = std::sin(static_cast<float>(i));
  const auto exact = bytes(values);
  folder_.write("changes.bin", {reinterpret_cast<const char*>(exact.data()), exact.size()});
  const auto in_another_order = [&](const std::function<bool(std::size_t)>& is_other) {
    auto other = values;
    for (std::size_t i = count / 2; i < count; ++i) {
      if (is_other(i)) other[i] = std::nextafter(other[i], 0.0F);
    }
    return bytes(other);
  };
  const auto made = problem();
  // One value of each page differs, and by a value of halves that may pass for rounding.
  for (int run = 0; made->wants_output(); ++run) {
    made->take_output(in_another_order([&](auto i) { return run == 1 && i % 1024 == 2; }));
  }
  const auto check = made->verify(in_another_order([](auto i) { return i % 2 == 0; }), 1);
  EXPECT_TRUE(check.passed) << check.detail;
  EXPECT_NE(check.measure.find("f32"), std::string::npos) << check.measure;
}

TEST_F(CapturedProblem, WhatIsAnotherAtEachReplayIsLeftOutAndCounted) {
  const auto made = problem();
  // The last page: 1024 of 4096 values.
  replay(*made, [](auto i, int run) { return i >= 7168 ? static_cast<float>(run + 1) : 0.0F; });
  const auto check = made->verify(bytes(answer([](auto i) { return i >= 7168 ? 9.0F : 0.0F; })), 1);
  EXPECT_TRUE(check.passed) << check.detail;
  EXPECT_NE(check.measure.find("differ between replays, and were left out"), std::string::npos);
  EXPECT_FALSE(
      made->verify(bytes(answer([](auto i) { return i >= 6144 ? 9.0F : 0.0F; })), 1).passed);
}

TEST_F(CapturedProblem, WhatIsLearntOfAWindowIsAllowedThereAlone) {
  // The first three quarters are a window, the last quarter is another.
  const auto made = problem(0, {}, count / 4 * 3);
  const auto is_last = [](std::size_t i) { return i >= count / 4 * 3; };
  replay(*made, [&](auto i, int run) { return is_last(i) && run == 1 ? 1e-5F : 0.0F; });
  const auto in_last = answer([&](auto i) { return is_last(i) ? 1e-5F : 0.0F; });
  EXPECT_TRUE(made->verify(bytes(in_last), 1).passed);
  const auto in_first = answer([&](auto i) { return is_last(i) ? 0.0F : 1e-5F; });
  EXPECT_FALSE(made->verify(bytes(in_first), 1).passed);
}

TEST_F(CapturedProblem, AnotherAnswerAltogetherIsRefused) {
  const auto made = problem();
  EXPECT_THROW(replay(*made, [](auto, int) { return 1.0F; }), std::runtime_error);
}

TEST_F(CapturedProblem, AToleranceIsOfTheGivenType) {
  const auto made = problem(1e-3, ElementType::f32);
  replay(*made, [](auto, int) { return 0.0F; });
  EXPECT_TRUE(made->verify(bytes(answer([](auto) { return 9e-4F; })), 1).passed);
  const auto check = made->verify(bytes(answer([](auto) { return 2e-3F; })), 1);
  EXPECT_FALSE(check.passed);
  EXPECT_NE(check.detail.find("expected"), std::string::npos) << check.detail;
}

TEST_F(CapturedProblem, TheWorstOfAPageDecides) {
  const auto made = problem(1e-3, ElementType::f32);
  replay(*made, [](auto, int) { return 0.0F; });
  for (const std::size_t wrong : {std::size_t{4096}, std::size_t{4100}, count - 1}) {
    const auto check =
        made->verify(bytes(answer([&](auto i) { return i == wrong ? 1e30F : 1e-4F; })), 1);
    EXPECT_FALSE(check.passed) << wrong;
    EXPECT_GT(check.error, 1e30);
  }
}

TEST_F(CapturedProblem, AToleranceThatNothingDoneWouldMeetIsRefused) {
  std::vector<float> values(count, 1.0F);
  const auto before = bytes(values);
  folder_.write("before.bin", {reinterpret_cast<const char*>(before.data()), before.size()});
  for (std::size_t i = count / 2; i < count; ++i) values[i] = 1.0001F;
  const auto after = bytes(values);
  auto changes = after;
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i] ^= before[i];
  folder_.write("changes.bin", {reinterpret_cast<const char*>(changes.data()), changes.size()});
  const auto replay_it = [&](double relative) {
    const auto made = problem(relative, ElementType::f32);
    while (made->wants_output()) made->take_output(after);
  };
  EXPECT_NO_THROW(replay_it(1e-5));
  EXPECT_THROW(replay_it(1e-3), std::runtime_error);
}

TEST_F(CapturedProblem, ReplaysThatAgreeAndAreNotTheProgramsAreRefused) {
  const auto made = problem();
  EXPECT_THROW(replay(*made, [](auto i, int) { return i % 2 == 0 ? 5e-3F : 0.0F; }),
               std::runtime_error);
  // As far from each other as from the program.
  const auto other = problem();
  EXPECT_NO_THROW(
      replay(*other, [](auto i, int run) { return (i + run) % 2 == 0 ? 5e-3F : 0.0F; }));
}

TEST_F(CapturedProblem, EachWindowHasItsOwnTolerance) {
  const auto made = problem(0, {}, count / 4 * 3);
  const auto is_last = [](std::size_t i) { return i >= count / 4 * 3; };
  replay(*made, [&](auto i, int run) {
    return static_cast<float>((i + run) % 2) * (is_last(i) ? 4e-3F : 1e-6F);
  });
  EXPECT_TRUE(
      made->verify(bytes(answer([&](auto i) { return is_last(i) ? 1e-2F : 1e-6F; })), 1).passed);
  EXPECT_FALSE(
      made->verify(bytes(answer([&](auto i) { return is_last(i) ? 0.0F : 1e-2F; })), 1).passed);
}

TEST_F(CapturedProblem, ALaunchThatAddsToItsOutputIsRestoredAsAWhole) {
  const auto made = problem();
  replay(*made, [](auto, int run) { return run == 5 ? 1.0F : 0.0F; });
  EXPECT_FALSE(dynamic_cast<const file::CapturedProblem&>(*made).repeats());
}

TEST_F(CapturedProblem, FilesOfAnotherSizeAreRefused) {
  folder_.write("before.bin", "short");
  EXPECT_THROW(problem(), std::runtime_error);
}

}  // namespace
}  // namespace apod::test
