/// What the problems promise: results that are known beforehand pass, wrong ones don't, and traffic
/// is counted as documented. That chunks cover the whole is seen where they are run (execute.hpp).

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
    expect_right(*problem, {sum});
    expect_wrong(*problem, {sum - 1}, std::to_string(n));
    EXPECT_EQ(problem->verify(bytes_of<float>({sum}), 1).tolerance, 0)
        << "nothing rounds up to 2^24 ones";
  }
}

TEST(Reduction, Fp32MayRoundWhereItMust) {
  const auto problem = make("reduction", DataSpec::Kind::ones, {{"size", 100'000'000}});
  expect_right(*problem, {1e8F});
  expect_right(*problem, {1e8F + 1000});  // 1e-5
  expect_wrong(*problem, {16777216.0F}, "a sum in one strand stops at 2^24");
  expect_wrong(*problem, {1e8F - 78125}, "one of the tutorial's 1280 blocks is lost");
}

TEST(Reduction, Fp64HoldsFp32ValuesExactly) {
  const auto problem =
      make("reduction", DataSpec::Kind::uniform, {{"size", 100'000}, {"accumulator", "fp64"}});
  double sum = 0;
  for (const float x : input_of(*problem)) sum += x;
  EXPECT_TRUE(problem->verify(bytes_of<double>({sum}), 1).passed);
  EXPECT_FALSE(problem->verify(bytes_of<double>({sum + 0x1p-24}), 1).passed);
  EXPECT_FALSE(problem->verify(bytes_of<double>({static_cast<float>(sum) + 0.5}), 1).passed);
}

TEST(Reduction, NormalDataIsJudgedByItsMagnitudes) {
  const auto problem = make("reduction", DataSpec::Kind::normal, {{"size", 10'000}});
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
  const auto problem = make("reduction", DataSpec::Kind::ones, {{"size", 10}});
  EXPECT_TRUE(problem->verify(bytes_of<float>({4, 6, 0}), 3).passed);
  EXPECT_FALSE(problem->verify(bytes_of<float>({4, 6, 1}), 3).passed);
  EXPECT_FALSE(problem->verify(bytes_of<float>({4, 6, nan}), 3).passed);
}

// --- normalize ---

TEST(Normalize, EveryElementIsChecked) {
  const auto problem = make("normalize", DataSpec::Kind::uniform, {{"size", 70'001}});
  auto values = input_of(*problem);
  double sum = 0;
  for (const float x : values) sum += x;
  for (float& x : values) x = static_cast<float>(x / sum);
  expect_right(*problem, values);
  for (const std::size_t at : {std::size_t{0}, std::size_t{65536}, values.size() - 1}) {
    for (const float other : {std::nextafter(values[at] * 1.001F, 1.0F), nan, -values[at]}) {
      auto wrong = values;
      wrong[at] = other;
      expect_wrong(*problem, wrong, std::to_string(other), std::to_string(at));
    }
  }
}

TEST(Normalize, CombineAddsThePartialSums) {
  const auto problem = make("normalize", DataSpec::Kind::ones, {{"size", 10}});
  ASSERT_EQ(problem->partial_bytes(), sizeof(float));
  EXPECT_EQ(problem->combine(bytes_of<float>({1, 2, 3.5F})), bytes_of<float>({6.5F}));
  const auto wide =
      make("normalize", DataSpec::Kind::ones, {{"size", 10}, {"accumulator", "fp64"}});
  ASSERT_EQ(wide->partial_bytes(), sizeof(double));
  EXPECT_EQ(wide->combine(bytes_of<double>({0.5, 0x1p-40})), bytes_of<double>({0.5 + 0x1p-40}));
}

// --- copy ---

TEST(Copy, IsComparedBitForBit) {
  const auto problem = make("copy", DataSpec::Kind::uniform, {{"size", 1003}});
  auto bytes = bytes_of(input_of(*problem));
  EXPECT_TRUE(problem->verify(bytes, 1).passed);
  bytes.back() ^= std::byte{1};
  const auto check = problem->verify(bytes, 1);
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.error, 1);
  EXPECT_NE(check.detail.find("1002"), std::string::npos) << check.detail;
}

// --- all ---

const Point ten_planes{{"size", "3x5"}, {"batch", 2}, {"channels", 5}, {"direction", "fprop"}};
const Point ten_gradients{{"size", "3x5"}, {"batch", 2}, {"channels", 5}, {"direction", "bprop"}};
const Point hundred_rows{{"size", "100x10"}, {"mask", 13}};

Point product(const char* type) {
  return {{"size", "10x20"}, {"n", 30}, {"type", type}};
}

TEST(EveryFamily, CountsItsTraffic) {
  const Point groups{{"size", 1000}, {"groups", 10}};
  const Point wide_groups{{"size", 1000}, {"groups", 10}, {"accumulator", "fp64"}};
  const struct {
    const char* name;
    Point point;
    const char* traffic;
  } table[] = {
      {"copy", {{"size", 1003}}, "reads 4012 B, writes 4012 B"},
      {"reduction", {{"size", 1000}}, "reads 4000 B, writes 4 B, 1000 fp32"},
      {"reduction", {{"accumulator", "fp64"}, {"size", 9}}, "reads 36 B, writes 8 B, 9 fp64"},
      {"normalize", {{"size", 10}, {"compute_repeats", 50}}, "reads 2040 B, writes 40 B, 510 fp32"},
      {"elementwise", {{"size", 10}, {"arrays", 5}}, "reads 200 B, writes 160 B, 80 fp32"},
      {"groupby", groups, "reads 8000 B, writes 160 B, 1010 fp32"},
      {"groupby", wide_groups, "reads 8000 B, writes 240 B, 1010 fp64"},
      // The middle row of the mask meets 2 + 3 + 2 pixels.
      {"convolution", {{"size", "1x3"}, {"mask", 3}}, "reads 48 B, writes 12 B, 14 fp32"},
      // Three rows of ten values between columns, six of ten between rows, two multiply-adds each.
      {"bilinear", ten_planes, "reads 600 B, writes 2400 B, 3600 fp32"},
      {"bilinear", ten_gradients, "reads 2400 B, writes 600 B, 3600 fp32"},
      // C is fp32 whatever the type.
      {"gemm", product("fp32"), "reads 3200 B, writes 1200 B, 12000 fp32"},
      {"gemm", product("tf32"), "reads 3200 B, writes 1200 B, 12000 tf32"},
      {"gemm", product("fp16"), "reads 1600 B, writes 1200 B, 12000 tensor"},
      {"gemm", product("bf16"), "reads 1600 B, writes 1200 B, 12000 bf16"}};
  for (const auto& [name, point, wanted] : table) {
    EXPECT_EQ(text_of(traffic(name, point)), wanted) << name;
  }
}

TEST(EveryFamily, CountsItsFootprint) {
  Point on_four_streams = hundred_rows;
  on_four_streams.emplace_back("streams", 4);
  const Point two_rows{{"size", "2x10"}, {"mask", 13}, {"streams", 4}};
  const auto arrays = [](int streams) -> Point {
    return {{"size", 65}, {"arrays", 5}, {"streams", streams}};
  };
  const struct {
    const char* name;
    Point point;
    std::uint64_t input, output;  ///< values of 4 bytes
  } table[] = {{"convolution", hundred_rows, 1000 + 169, 1000},
               // Three cuts, six rows to both sides of each, and a mask a stream.
               {"convolution", on_four_streams, 1000 + 3 * 12 * 10 + 4 * 169, 1000},
               // Two of the four have a row, and read both.
               {"convolution", two_rows, 2 * 20 + 4 * 169, 20},
               // Streams share an array between them; there are no more of them than pairs.
               {"elementwise", arrays(1), 5 * 65, 4 * 65},
               {"elementwise", arrays(3), 7 * 65, 4 * 65},
               {"elementwise", arrays(100), 8 * 65, 4 * 65},
               {"bilinear", ten_gradients, 10 * 60, 10 * 15}};
  for (const auto& [name, point, input, output] : table) {
    SCOPED_TRACE(name);
    const auto footprint = family(name).footprint(params_of(family(name), point));
    EXPECT_EQ(footprint.input_bytes, 4 * input);
    EXPECT_EQ(footprint.output_bytes, 4 * output);
  }
}

TEST(EveryFamily, SplitsIntoChunks) {
  const Point pairs{{"size", 10}, {"arrays", 8}};
  const Point five_rows{{"size", "5x4"}, {"mask", 5}};
  const Point groups{{"size", 200}, {"groups", 7}};
  const Point halves{{"size", "10x6"}, {"n", 5}, {"type", "fp16"}};
  const struct {
    const char* name;
    Point point;
    int index, count;
    const char* chunk;
  } table[] = {
      // Pairs share an array.
      {"elementwise", pairs, 1, 3, "2 to 4 of 2 to 5, in 80 + 120 B, out 80 + 80 B"},
      {"elementwise", pairs, 0, 1, "0 to 7 of 0 to 8, in 0 + 320 B, out 0 + 280 B"},
      // There is a halo of six rows to both sides, as far as the image goes.
      {"convolution", hundred_rows, 1, 4,
       "25 to 50 of 19 to 56, in 760 + 1480 B, out 1000 + 1000 B"},
      {"convolution", hundred_rows, 0, 4, "0 to 25 of 0 to 31, in 0 + 1240 B, out 0 + 1000 B"},
      {"convolution", hundred_rows, 3, 4,
       "75 to 100 of 69 to 100, in 2760 + 1240 B, out 3000 + 1000 B"},
      // It may reach over several chunks.
      {"convolution", five_rows, 2, 5, "2 to 3 of 0 to 5, in 0 + 80 B, out 32 + 16 B"},
      // Rows are split at a multiple of 64, groups anywhere.
      {"groupby", groups, 1, 2, "128 to 200 of 128 to 200, in 1024 + 576 B, out 48 + 64 B"},
      // More chunks than rows and groups: some have neither.
      {"groupby", groups, 0, 100, "0 to 0 of 0 to 0, in 0 + 0 B, out 0 + 0 B"},
      // Rows of A, of 2 bytes a number; C is fp32.
      {"gemm", halves, 1, 3, "3 to 6 of 3 to 6, in 36 + 36 B, out 60 + 60 B"},
      // Planes of 15 values, and of 60 at scale 2.
      {"bilinear", ten_planes, 1, 4, "2 to 5 of 2 to 5, in 120 + 180 B, out 480 + 720 B"},
      {"bilinear", ten_gradients, 1, 4, "2 to 5 of 2 to 5, in 480 + 720 B, out 120 + 180 B"}};
  for (const auto& [name, point, index, count, chunk] : table) {
    EXPECT_EQ(text_of(make(name, DataSpec::Kind::ones, point)->chunk(index, count)), chunk) << name;
  }
}

/// More chunks than units: the rest reads no halo and writes nothing.
TEST(EveryFamily, LeavesChunksEmptyWhereThereIsNoMoreWork) {
  const struct {
    const char* name;
    Point point;
    int used;
  } table[] = {{"convolution", {{"size", "5x4"}, {"mask", 5}}, 5},
               {"elementwise", {{"size", 10}, {"arrays", 3}}, 2},
               {"bilinear", {{"size", "3x5"}, {"batch", 2}, {"channels", 3}}, 6}};
  for (const auto& [name, point, wanted] : table) {
    const auto problem = make(name, DataSpec::Kind::ones, point);
    int used = 0;
    for (std::int64_t i = 0; i < 8; ++i) {
      const auto chunk = problem->chunk(i, 8);
      used += chunk.begin < chunk.end ? 1 : 0;
      if (chunk.begin < chunk.end) continue;
      EXPECT_EQ(chunk.input_bytes, 0U) << name;
      EXPECT_EQ(chunk.output_bytes, 0U) << name;
    }
    EXPECT_EQ(used, wanted) << name;
  }
}

TEST(EveryFamily, RefusesWhatItCanNotDoWithAReason) {
  const struct {
    const char* name;
    Point point;
    const char* reason;  ///< part of it; null where there is none
  } table[] = {
      {"elementwise", {{"size", 1}, {"arrays", 2}}, nullptr},
      {"elementwise", {{"arrays", 1}}, "arrays 1 "},
      {"elementwise", {{"arrays", 0}}, ""},
      {"elementwise", {{"size", 0}}, ""},
      {"groupby", {{"size", 1}, {"groups", 1}}, nullptr},
      {"groupby", {{"size", 5}, {"groups", 1 << 20}}, nullptr},
      {"convolution", {{"mask", 31}}, nullptr},
      {"convolution", {{"mask", 2}}, "even"},
      {"convolution", {{"mask", 12}}, "even"},
      {"convolution", {{"mask", 30}}, "even"},
      {"convolution", {{"mask", -1}}, "-1"},
      {"convolution", {{"mask", 0}}, "0"},
      {"convolution", {{"mask", 33}}, "33"},
      {"convolution", {{"size", "1048576x3"}}, nullptr},
      {"convolution", {{"size", "3x1048577"}}, ""},
      {"gemm", {{"n", 0}}, "n 0 is not within 1 to 1048576"},
      {"gemm", {{"n", 1 << 21}}, "n 2097152 is not within 1 to 1048576"},
      {"gemm", {{"size", "1x16777217"}}, "size 1x16777217 has a dimension of more than 16777216"},
      {"network", {{"streams", 1}}, nullptr},
      {"network", {{"size", "1x8"}}, "2x2 window"},
      {"network", {{"batch", 0}}, "batch 0"},
      {"network", {{"channels", 5000}}, "1 to 4096"},
      {"network", {{"size", "4096x4096"}, {"batch", 65}}, "values a channel"},
      {"network", {{"streams", 4}}, "statistics of the whole batch"},
      {"network", {{"layout", "nhwc"}}, nullptr},
      {"bilinear", {{"size", "2048x1"}, {"scale", 32}}, nullptr},
      {"bilinear", {{"size", "65536x1"}, {"scale", 1}, {"direction", "bprop"}}, nullptr},
      {"bilinear", {{"size", "2049x1"}, {"scale", 32}}, "65536"},
      {"bilinear", {{"size", "1x32769"}, {"scale", 2}}, "size 1x32769 at scale 2"},
      {"bilinear", {{"size", "65536x65536"}, {"scale", 1}, {"batch", 257}}, "2^40"},
      {"bilinear", {{"size", "8x8"}, {"scale", 0}}, "scale 0"},
      {"bilinear", {{"size", "8x8"}, {"scale", 33}}, "scale 33"},
      {"bilinear", {{"size", "8x8"}, {"batch", 0}}, "batch 0"},
      {"bilinear", {{"size", "8x8"}, {"channels", -1}}, "channels -1"}};
  for (const auto& [name, point, wanted] : table) {
    SCOPED_TRACE(std::string(name) + " " + (wanted == nullptr ? "" : wanted));
    const auto params = params_of(family(name), point);
    const auto reason = family(name).rejects(params);
    ASSERT_EQ(reason.has_value(), wanted != nullptr) << reason.value_or("");
    if (wanted == nullptr) continue;
    EXPECT_NE(reason->find(wanted), std::string::npos) << *reason;
    EXPECT_THROW(family(name).make(params, {}), std::runtime_error);
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
    EXPECT_EQ(each->rejects(params_of(*each)), std::nullopt);
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
      const auto footprint = each->footprint(params_of(
          *each, {{"size", is_shape ? AxisValue(to_string(Shape{side, side})) : AxisValue(side)},
                  {"streams", 1024}}));
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
