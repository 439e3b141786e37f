/// The data of a kernel of a file, and what its output is held against.

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "tests/kernels/api/kernel_spec.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::file {
namespace {

/// The output that a right kernel would leave.
std::vector<std::byte> answer(const Problem& problem, std::int64_t size, float factor = 2) {
  std::vector<std::byte> output(problem.output_bytes(1), std::byte{0xFF});
  for (std::int64_t i = 0; i < size; ++i) {
    float value = 0;
    std::memcpy(&value, problem.input().data() + 4 * i, 4);
    value *= factor;
    std::memcpy(output.data() + 256 + 4 * i, &value, 4);
  }
  return output;
}

TEST(KernelFile, VerifiesAgainstAFormula) {
  const auto family = std::make_shared<const KernelFamily>(doubled());
  const auto problem = family->make(point(100), {});
  auto output = answer(*problem, 100);
  EXPECT_TRUE(problem->verify(output, 1).passed) << problem->verify(output, 1).detail;
  EXPECT_FALSE(problem->verify(answer(*problem, 100, 2.1F), 1).passed);

  auto unwritten = output;
  std::memset(unwritten.data() + 256 + 4 * 99, 0xFF, 4);
  EXPECT_EQ(problem->verify(unwritten, 1).detail.substr(0, 22), "element 99 of 'y' is -");

  for (const auto& [place, said] :
       {std::pair{std::size_t{255}, "the kernel wrote out of bounds, before 'y'"},
        {std::size_t{256 + 400}, "the kernel wrote out of bounds, after 'y'"},
        {output.size() - 1, "the kernel wrote out of bounds, after 'y'"}}) {
    auto beyond = output;
    beyond[place] = std::byte{0};
    EXPECT_EQ(problem->verify(beyond, 1).detail, said);
  }
  output.pop_back();
  EXPECT_FALSE(problem->verify(output, 1).passed);
}

TEST(KernelFile, WantsTheNearestValueWhereNothingElseIsAllowed) {
  auto spec = doubled();
  spec.absolute = 0;
  spec.reference.outputs = {{"y", "x / 3"}};
  const auto family = std::make_shared<const KernelFamily>(spec);
  const auto problem = family->make(point(100), {});
  auto output = answer(*problem, 100, 0);
  for (std::size_t i = 0; i < 100; ++i) {
    float x = 0;
    std::memcpy(&x, problem->input().data() + 4 * i, 4);
    x /= 3;
    std::memcpy(output.data() + 256 + 4 * i, &x, 4);
  }
  EXPECT_TRUE(problem->verify(output, 1).passed) << problem->verify(output, 1).detail;
  output[256] = std::byte(std::to_integer<int>(output[256]) ^ 1);
  EXPECT_FALSE(problem->verify(output, 1).passed) << "one unit in the last place off";
}

TEST(KernelFile, MakesOtherDataForAnotherSeed) {
  const auto family = std::make_shared<const KernelFamily>(doubled());
  const auto content = [&](std::uint64_t seed) {
    const auto problem = family->make(point(100), {.seed = seed});
    return std::vector<std::byte>(problem->input().begin(), problem->input().end());
  };
  EXPECT_EQ(content(1), content(1));
  EXPECT_NE(content(1), content(2));
}

TEST(KernelFile, HasInputsOfEveryType) {
  auto spec = doubled();
  spec.reference = {};
  spec.args.clear();
  for (const auto name : EnumNames<ElementType>::names) {
    spec.args.push_back(
        {.name = "a_" + std::string(name), .type = *parse<ElementType>(name), .shape = {"size"}});
  }
  spec.args.push_back(
      {.name = "squares", .type = ElementType::i64, .shape = {"size"}, .formula = "i * i"});
  const auto family = std::make_shared<const KernelFamily>(spec);
  const auto problem = family->make(point(1000), {.kind = DataSpec::Kind::uniform});
  const auto layout = family->shapes().layout(point(1000));
  for (std::size_t a = 0; a + 1 < spec.args.size(); ++a) {
    const auto type = spec.args[a].type;
    double sum = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
      const auto* at = problem->input().data() + layout.args[a].in_input + i * size_of(type);
      sum += as_double(type, read_element(type, at));
    }
    const double mean = type == ElementType::boolean || !is_whole(type) ? 0.5 : 63.5;
    EXPECT_NEAR(sum / 1000, mean, 0.1 * mean) << spec.args[a].name;
  }
  const auto* last = problem->input().data() + layout.args.back().in_input + 8 * 999;
  EXPECT_EQ(read_element(ElementType::i64, last).whole, 999 * 999);
}

TEST(KernelFile, TakesTheReferenceFromTheDevice) {
  auto spec = doubled();
  spec.reference = {.kind = ReferenceSpec::Kind::kernel,
                    .launch = {.file = "ref.cu", .kernel = "ref", .grid = {"1"}, .block = {"1"}}};
  const auto family = std::make_shared<const KernelFamily>(spec);
  const auto problem = family->make(point(100), {});
  ASSERT_TRUE(problem->wants_output());
  problem->take_output(answer(*problem, 100));
  EXPECT_FALSE(problem->wants_output());
  EXPECT_TRUE(problem->verify(answer(*problem, 100), 1).passed);
  EXPECT_FALSE(problem->verify(answer(*problem, 100, 3), 1).passed);
}

TEST(KernelFile, ComparesIntegersExactly) {
  auto spec = doubled();
  spec.args[0].type = ElementType::u64;
  spec.absolute = 0;
  spec.reference = {.kind = ReferenceSpec::Kind::kernel,
                    .launch = {.file = "ref.cu", .kernel = "ref", .grid = {"1"}, .block = {"1"}}};
  const auto family = std::make_shared<const KernelFamily>(spec);
  const auto problem = family->make(point(100), {});
  const auto with_last = [&](std::uint64_t last) {
    std::vector<std::byte> output(problem->output_bytes(1), std::byte{0xFF});
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::uint64_t value = i < 99 ? i : last;
      std::memcpy(output.data() + 256 + 8 * i, &value, 8);
    }
    return output;
  };
  const auto large = std::uint64_t{1} << 63;
  problem->take_output(with_last(large));
  EXPECT_TRUE(problem->verify(with_last(large), 1).passed);
  // As doubles the two are the same.
  EXPECT_FALSE(problem->verify(with_last(large + 500), 1).passed);
}

TEST(KernelFile, HoldsTheShapeOfAReferenceAgainstTheOutput) {
  const TemporaryFolder folder;
  folder.write("y.pgm", "P5 10 10 255\n" + std::string(100, '\2'));
  auto spec = doubled();
  spec.reference = {.kind = ReferenceSpec::Kind::array, .outputs = {{"y", folder.path("y.pgm")}}};
  const auto family = std::make_shared<const KernelFamily>(spec);
  EXPECT_EQ(family->rejects(point(100)), std::nullopt);
  EXPECT_EQ(family->rejects(point(101)),
            "reference/y: the reference of 'y' holds 100 values, but the output has 101");
}

TEST(KernelFile, KeepsTheWordsOfItsFormula) {
  auto spec = doubled();
  spec.axes.push_back({.name = "mode", .kind = AxisSpec::Kind::choice, .help = ""});
  spec.reference.outputs["y"] =
      "if(mode == 'a word that is too long for a short string', 2, 3) * x";
  const auto family = std::make_shared<const KernelFamily>(spec);
  const auto problem = [&] {
    auto params = point(1000);
    params.set("mode", std::string("a word that is too long for a short string"));
    return family->make(params, {});
  }();
  EXPECT_TRUE(problem->verify(answer(*problem, 1000), 1).passed);
  EXPECT_FALSE(problem->verify(answer(*problem, 1000, 3), 1).passed);
}

TEST(KernelFile, LooksAtPartsOfALargeOutputThatNobodyForesees) {
  constexpr std::int64_t size = std::int64_t{1} << 23;
  const auto family = std::make_shared<const KernelFamily>(doubled());
  const auto problem = family->make(point(size), {});
  auto output = answer(*problem, size);
  const auto seen = [&] {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) found += !problem->look(output, 1, seed).passed;
    return found;
  };
  EXPECT_EQ(seen(), 0);
  output[256 + size] = ~output[256 + size];
  EXPECT_FALSE(problem->verify(output, 1).passed);
  const auto one_element = seen();
  EXPECT_GT(one_element, 0) << "each place is looked at some time";
  EXPECT_LT(one_element, 20) << "and few at any time";
  std::fill(output.begin() + 256 + size, output.begin() + 256 + size + size / 64, std::byte{0});
  EXPECT_EQ(seen(), 40) << "work worth leaving out is found each time";
  output = answer(*problem, size);
  output[0] = std::byte{0};
  EXPECT_EQ(seen(), 40) << "guards are looked at whole";
}

TEST(KernelFile, WhatDoesNotRepeatItselfIsNotCalledExpected) {
  auto spec = doubled();
  spec.reference = {};
  const auto problem = std::make_shared<const KernelFamily>(spec)->make(point(100), {});
  problem->take_output(answer(*problem, 100));
  const auto check = problem->verify(answer(*problem, 100, 3), 1);
  EXPECT_FALSE(check.passed);
  EXPECT_TRUE(check.detail.ends_with(
      ": the kernel gives different results each time, and has no other reference"))
      << check.detail;
}

TEST(KernelFile, KnowsOnWhichAxesItsDataDepends) {
  using Axes = std::set<std::string>;
  const auto axes_of = [](const auto& change) {
    auto spec = doubled();
    change(spec);
    return std::make_shared<const KernelFamily>(spec)->problem_axes();
  };
  EXPECT_EQ(axes_of([](auto&) {}), Axes{"size"});
  EXPECT_EQ(axes_of([](auto& spec) { spec.args[1].formula = "i % block"; }),
            (Axes{"block", "size"}));
  EXPECT_EQ(axes_of([](auto& spec) { spec.reference.outputs["y"] = "TILE * x"; }),
            (Axes{"TILE", "size"}));
  EXPECT_EQ(axes_of([](auto& spec) { spec.reference = {}; }), (Axes{"TILE", "block", "size"}))
      << "a kernel that is its own reference depends on all that it is made of";
  const auto other = [](const std::string& kernel, const std::string& grid) {
    return [=](auto& spec) {
      spec.reference = {
          .kind = ReferenceSpec::Kind::kernel,
          .launch = {.file = "double.cu", .kernel = kernel, .grid = {grid}, .block = {"1"}}};
    };
  };
  EXPECT_EQ(axes_of(other("ref", "size / block")), (Axes{"TILE", "block", "size"}))
      << "TILE may be a macro of its source";
  EXPECT_EQ(axes_of(other("ref", "1")), (Axes{"TILE", "size"}));
}

}  // namespace
}  // namespace apod::file
