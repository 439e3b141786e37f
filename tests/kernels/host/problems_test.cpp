/// What the problems promise: results that are known beforehand pass, wrong ones don't, chunks
/// cover the whole, and traffic is counted as documented.

#include "tests/kernels/problems.hpp"

#include <algorithm>
#include <cmath>

namespace apod::test {
namespace {

// --- reduction ---

TEST(Reduction, OneLostElementOfOnesIsFound) {
  for (const std::int64_t n : {2, 1000, 1'000'003, 10'000'000}) {
    const auto problem = make("reduction", DataSpec::Kind::ones, {{"size", n}});
    const auto sum = static_cast<float>(n);
    EXPECT_TRUE(problem->verify(bytes_of<float>({sum}), 1).passed) << n;
    const auto check = problem->verify(bytes_of<float>({sum - 1}), 1);
    EXPECT_FALSE(check.passed) << n;
    EXPECT_FALSE(check.detail.empty());
    EXPECT_EQ(check.tolerance, 0) << "nothing rounds up to 2^24 ones";
  }
}

TEST(Reduction, Fp32MayRoundWhereItMust) {
  constexpr std::int64_t n = 100'000'000;
  const auto problem = make("reduction", DataSpec::Kind::ones, {{"size", n}});
  EXPECT_TRUE(problem->verify(bytes_of<float>({1e8F}), 1).passed);
  EXPECT_TRUE(problem->verify(bytes_of<float>({1e8F + 1000}), 1).passed) << "1e-5";
  // A sum in one strand stops at 2^24.
  EXPECT_FALSE(problem->verify(bytes_of<float>({16777216.0F}), 1).passed);
  // One of the tutorial's 1280 blocks is lost.
  EXPECT_FALSE(problem->verify(bytes_of<float>({1e8F - 78125}), 1).passed);
}

TEST(Reduction, Fp64HoldsFp32ValuesExactly) {
  const auto problem = make("reduction", DataSpec::Kind::uniform,
                            {{"size", std::int64_t{100'000}}, {"accumulator", fp64}});
  double sum = 0;
  for (const float x : input_of(*problem)) sum += x;
  EXPECT_TRUE(problem->verify(bytes_of<double>({sum}), 1).passed);
  EXPECT_FALSE(problem->verify(bytes_of<double>({sum + 0x1p-24}), 1).passed);
  EXPECT_FALSE(problem->verify(bytes_of<double>({static_cast<float>(sum) + 0.5}), 1).passed);
}

TEST(Reduction, NormalDataIsJudgedByItsMagnitudes) {
  const auto problem = make("reduction", DataSpec::Kind::normal, {{"size", std::int64_t{10'000}}});
  double sum = 0;
  double magnitude = 0;
  for (const float x : input_of(*problem)) {
    sum += x;
    magnitude += std::abs(x);
  }
  const auto at = [&](double error) {
    return problem->verify(bytes_of<float>({static_cast<float>(sum + error * magnitude)}), 1);
  };
  EXPECT_TRUE(at(0).passed);
  EXPECT_GT(at(0).tolerance, 0);
  EXPECT_LT(at(0).tolerance, 1e-4);
  EXPECT_TRUE(at(0.9 * at(0).tolerance).passed);
  EXPECT_FALSE(at(1.2 * at(0).tolerance).passed);
  EXPECT_FALSE(at(-1.2 * at(0).tolerance).passed);
}

TEST(Reduction, PartialSumsAreAdded) {
  const auto problem = make("reduction", DataSpec::Kind::ones, {{"size", std::int64_t{10}}});
  EXPECT_TRUE(problem->verify(bytes_of<float>({4, 6, 0}), 3).passed);
  EXPECT_FALSE(problem->verify(bytes_of<float>({4, 6, 1}), 3).passed);
  EXPECT_FALSE(problem->verify(bytes_of<float>({4, 6, nan}), 3).passed);
}

TEST(Reduction, Traffic) {
  const auto narrow = traffic("reduction", {{"size", std::int64_t{1000}}});
  EXPECT_EQ(narrow.bytes_read, 4000);
  EXPECT_EQ(narrow.bytes_written, 4);
  EXPECT_EQ(narrow.flops_fp32, 1000);
  EXPECT_EQ(narrow.flops_fp64, 0);
  const auto wide = traffic("reduction", {{"size", std::int64_t{1000}}, {"accumulator", fp64}});
  EXPECT_EQ(wide.bytes_written, 8);
  EXPECT_EQ(wide.flops_fp32, 0);
  EXPECT_EQ(wide.flops_fp64, 1000);
}

// --- normalize ---

TEST(Normalize, EveryElementIsChecked) {
  constexpr std::int64_t n = 70'001;
  const auto problem = make("normalize", DataSpec::Kind::uniform, {{"size", n}});
  auto values = input_of(*problem);
  double sum = 0;
  for (const float x : values) sum += x;
  for (float& x : values) x = static_cast<float>(x / sum);
  ASSERT_TRUE(problem->verify(bytes_of(values), 1).passed);
  for (const std::size_t at : {std::size_t{0}, std::size_t{65536}, values.size() - 1}) {
    auto wrong = values;
    wrong[at] = std::nextafter(wrong[at] * 1.001F, 1.0F);
    const auto check = problem->verify(bytes_of(wrong), 1);
    EXPECT_FALSE(check.passed);
    EXPECT_NE(check.detail.find(std::to_string(at)), std::string::npos) << check.detail;
    wrong[at] = nan;
    EXPECT_FALSE(problem->verify(bytes_of(wrong), 1).passed);
    wrong[at] = -values[at];
    EXPECT_FALSE(problem->verify(bytes_of(wrong), 1).passed);
  }
}

TEST(Normalize, CombineAddsThePartialSums) {
  const auto problem = make("normalize", DataSpec::Kind::ones, {{"size", std::int64_t{10}}});
  ASSERT_EQ(problem->partial_bytes(), sizeof(float));
  EXPECT_EQ(problem->combine(bytes_of<float>({1, 2, 3.5F})), bytes_of<float>({6.5F}));
  const auto wide =
      make("normalize", DataSpec::Kind::ones, {{"size", std::int64_t{10}}, {"accumulator", fp64}});
  ASSERT_EQ(wide->partial_bytes(), sizeof(double));
  EXPECT_EQ(wide->combine(bytes_of<double>({0.5, 0x1p-40})), bytes_of<double>({0.5 + 0x1p-40}));
}

TEST(Normalize, TrafficCountsTheRepeats) {
  const auto work =
      traffic("normalize", {{"size", std::int64_t{1000}}, {"compute_repeats", std::int64_t{50}}});
  EXPECT_EQ(work.bytes_read, 51 * 4000);
  EXPECT_EQ(work.bytes_written, 4000);
  EXPECT_EQ(work.flops_fp32, 51 * 1000);
}

// --- copy ---

TEST(Copy, IsComparedBitForBit) {
  const auto problem = make("copy", DataSpec::Kind::uniform, {{"size", std::int64_t{1003}}});
  auto bytes = bytes_of(input_of(*problem));
  EXPECT_TRUE(problem->verify(bytes, 1).passed);
  bytes.back() ^= std::byte{1};
  const auto check = problem->verify(bytes, 1);
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.error, 1);
  EXPECT_NE(check.detail.find("1002"), std::string::npos) << check.detail;
}

TEST(Copy, TrafficReadsAndWritesAllOnce) {
  const auto work = traffic("copy", {{"size", std::int64_t{1003}}});
  EXPECT_EQ(work.bytes_read, 4012);
  EXPECT_EQ(work.bytes_written, 4012);
  EXPECT_EQ(work.flops_fp32 + work.flops_fp64, 0);
}

// --- all ---

TEST(EveryFamily, ChunksCoverTheProblemOnce) {
  for (const auto* each : Registry::instance().families()) {
    for (const auto& c : cases_of(*each)) {
      const auto problem = make_problem(*each, c);
      if (!problem) continue;
      SCOPED_TRACE(std::string(each->name()) + " " + describe(c));
      std::int64_t unit = 0;
      std::size_t output = 0;
      for (std::int64_t i = 0; i < c.chunks; ++i) {
        const auto chunk = problem->chunk(i, c.chunks);
        EXPECT_EQ(chunk.begin, unit);
        EXPECT_LE(chunk.input_begin, chunk.begin);
        EXPECT_GE(chunk.input_end, chunk.end);
        EXPECT_EQ(chunk.output_offset, output);
        EXPECT_LE(chunk.input_offset + chunk.input_bytes, problem->input().size());
        unit = chunk.end;
        output += chunk.output_bytes;
      }
      EXPECT_EQ(output, problem->output_bytes(c.chunks));
    }
  }
}

TEST(EveryFamily, FootprintCoversWhatIsUsed) {
  for (const auto* each : Registry::instance().families()) {
    for (auto c : cases_of(*each)) {
      const auto problem = make_problem(*each, c);
      if (!problem) continue;
      SCOPED_TRACE(std::string(each->name()) + " " + describe(c));
      c.params.set("streams", c.chunks);
      const auto footprint = each->footprint(c.params);
      std::uint64_t input = 0;
      for (std::int64_t i = 0; i < c.chunks; ++i) input += problem->chunk(i, c.chunks).input_bytes;
      EXPECT_GE(footprint.input_bytes, input);
      EXPECT_GE(footprint.output_bytes, each->name() == "reduction"
                                            ? problem->output_bytes(1)
                                            : problem->output_bytes(c.chunks));
    }
  }
}

TEST(EveryFamily, AxesBeginWithSizeAndExplainThemselves) {
  for (const auto* each : Registry::instance().families()) {
    SCOPED_TRACE(std::string(each->name()));
    EXPECT_FALSE(each->summary().empty());
    const auto axes = each->axes();
    ASSERT_FALSE(axes.empty());
    EXPECT_EQ(axes.front().name, "size");
    for (const auto& axis : axes) {
      EXPECT_FALSE(axis.help.empty()) << axis.name;
      EXPECT_LE(axis.min, axis.max) << axis.name;
      EXPECT_EQ(axis.kind == AxisSpec::Kind::choice, !axis.choices.empty()) << axis.name;
    }
    EXPECT_EQ(each->rejects(default_params(*each)), std::nullopt);
  }
}

/// The largest problem of every family must be counted without overflow: it is refused by what the
/// device has, not by a wrong sum. What a thousandth of it needs, counts a thousand times.
TEST(EveryFamily, FootprintOfTheLargestProblemIsCounted) {
  for (const auto* each : Registry::instance().families()) {
    SCOPED_TRACE(std::string(each->name()));
    const auto size = each->axes().front();
    const bool is_shape = size.kind == AxisSpec::Kind::shape;
    const auto bytes = [&](std::int64_t side) {
      auto params = default_params(*each);
      params.set("size", is_shape ? AxisValue(to_string(Shape{side, side})) : AxisValue(side));
      params.set("streams", std::int64_t{1024});
      const auto footprint = each->footprint(params);
      return static_cast<double>(std::max(footprint.input_bytes, footprint.output_bytes));
    };
    const auto largest = bytes(size.max);
    const auto small = bytes(is_shape ? size.max / 32 : size.max / 1024);
    EXPECT_GE(largest, 4 * (is_shape ? std::pow(size.max, 2) : static_cast<double>(size.max)));
    EXPECT_LT(largest / small, 1100);
    EXPECT_GT(largest / small, 300) << "streams share more of a smaller one";
  }
}

}  // namespace
}  // namespace apod::test
