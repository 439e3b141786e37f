/// What the kernels of one launch promise beyond a right sum.

#include <bit>
#include <cmath>
#include <limits>

#include "kernels/data/data.hpp"
#include "kernels/reduction/problem.hpp"
#include "tests/gpu/cuda_backend.hpp"
#include "tests/kernels/problems.hpp"

namespace apod::test {
namespace {

class SinglePass : public OnCuda<testing::TestWithParam<std::string>> {
 protected:
  /// The sum's bytes, after `repeats` launches in a row.
  std::vector<std::byte> sum(Floats values, Number accumulator, int repeats = 1) {
    return sum_by(GetParam(), std::move(values), accumulator, repeats);
  }
  std::vector<std::byte> sum_by(const std::string& name, Floats values, Number accumulator,
                                int repeats) {
    const auto params =
        params_of(family("reduction"), {{"accumulator", std::string(to_string(accumulator))}});
    const auto variant = Registry::instance().variant("reduction", name)->make();
    const reduction::Sum problem(std::make_shared<const Floats>(std::move(values)), accumulator);
    Executor executor(*backend, *variant, problem, params, 1);
    return executor.run(repeats);
  }
};

TEST_P(SinglePass, GivesEqualBitsOnEveryRun) {
  const auto values = make_vector({.kind = DataSpec::Kind::normal}, 3'000'001);
  for (const auto accumulator : {Number::fp32, Number::fp64}) {
    const auto first = sum(*values, accumulator);
    for (int run = 2; run < 20; ++run) EXPECT_EQ(sum(*values, accumulator, run), first);
  }
}

/// Blocks leave their sums where zero means that nothing is there yet: neither a zero nor any NaN
/// may be taken for it.
TEST_P(SinglePass, PassesOnZerosAndNans) {
  for (const std::size_t count : {8'192, 8'193, 1'000'000}) {  // of one block, of two, of many
    for (const auto accumulator : {Number::fp32, Number::fp64}) {
      EXPECT_EQ(sums::add_partials(sum(Floats(count, 0.0F), accumulator), accumulator), 0);
      for (const std::uint32_t bits : {0xffffffffU, 0x7fffffffU, 0x7f800001U}) {
        const Floats nans(count, std::bit_cast<float>(bits));
        EXPECT_TRUE(std::isnan(sums::add_partials(sum(nans, accumulator), accumulator)));
      }
    }
  }
}

TEST_P(SinglePass, AddsOnesWhereOneBlockIsNoLongerEnough) {
  for (const std::size_t count : {1, 3, 4, 255, 1'023, 4'097, 8'189, 8'192, 8'193, 16'385}) {
    for (const auto accumulator : {Number::fp32, Number::fp64}) {
      EXPECT_EQ(sums::add_partials(sum(Floats(count, 1.0F), accumulator), accumulator),
                static_cast<double>(count));
    }
  }
}

/// What is large cancels exactly and leaves as many ones. In fp32 their sum is lost among the
/// roundings of the rest, but for those who keep them: what remains is the result's own rounding.
TEST_P(SinglePass, IsRightToARoundingWhereItCompensates) {
  constexpr std::size_t third = 350'000;
  Floats values = *make_vector({.kind = DataSpec::Kind::normal}, third);
  for (auto& value : values) value *= 1e5F;
  values.reserve(3 * third);
  for (std::size_t i = 0; i < third; ++i) values.push_back(-values[i]);
  values.resize(3 * third, 1);
  const double got = sums::add_partials(sum(values, Number::fp32), Number::fp32);
  const double error = std::abs(got / third - 1);
  if (GetParam() == "compensated") {
    EXPECT_LE(error, std::numeric_limits<float>::epsilon() / 2);
  } else if (GetParam() != "warp_shuffle") {  // in warp_shuffle's order it happens to cancel
    EXPECT_GT(error, 1e-6) << "the test asks too little";
  }
}

class LateSums : public SinglePass {};

/// A block that waits in vain computes what it waits for: the same bits, in the launch that misses
/// them and in those after it, which believe no slot any more. On a slice of the device most blocks
/// begin only when others have ended: again the same bits.
TEST_P(LateSums, AreTheSameBits) {
  for (const std::size_t count : {8'193, 16'388, 3'000'001, 50'000'003}) {
    const auto values = make_vector({.kind = DataSpec::Kind::normal}, count);
    for (const auto accumulator : {Number::fp32, Number::fp64}) {
      const auto in_time = sum_by("single_pass", *values, accumulator, 1);
      for (const int runs : {1, 2, 5}) EXPECT_EQ(sum(*values, accumulator, runs), in_time) << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, SinglePass,
                         testing::Values("single_pass", "compensated", "warp_shuffle", "late_sums",
                                         "sliced_sums", "late_sliced_sums"),
                         [](const auto& tested) { return tested.param; });
INSTANTIATE_TEST_SUITE_P(Kernels, LateSums,
                         testing::Values("late_sums", "sliced_sums", "late_sliced_sums"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace apod::test
