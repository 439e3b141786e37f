/// Masks of the convolution, and which of them are products of two vectors.

#include "kernels/convolution/mask.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/convolution/problem.hpp"

namespace apod::convolution {
namespace {

TEST(Mask, ProductsHaveFactors) {
  for (std::int64_t width = 1; width <= largest_mask; width += 2) {
    SCOPED_TRACE(width);
    const auto mask = make_mask(1, width, Weights::separable);
    const auto found = factors(mask, width);
    ASSERT_TRUE(found);
    const auto side = static_cast<std::size_t>(width);
    double sum = 0;
    for (std::size_t n = 0; n < mask.size(); ++n) {
      EXPECT_NEAR(found->down[n / side] * found->across[n % side] / mask[n], 1, 1e-15);
      sum += mask[n];
    }
    EXPECT_GT(sum, 0.4);
    EXPECT_LE(sum, 1);
  }
}

TEST(Mask, AnythingElseHasNone) {
  EXPECT_TRUE(factors(make_mask(1, 1, Weights::random), 1));
  for (std::int64_t width = 3; width <= largest_mask; width += 2) {
    SCOPED_TRACE(width);
    EXPECT_FALSE(factors(make_mask(1, width, Weights::random), width));
    auto mask = make_mask(1, width, Weights::separable);
    for (const std::size_t n : {std::size_t{0}, mask.size() / 2, mask.size() - 1}) {
      auto off = mask;
      off[n] = std::nextafter(off[n], 1.0F);
      EXPECT_FALSE(factors(off, width)) << "weight " << n << " is off by one ulp";
    }
  }
}

TEST(Mask, ZerosHaveFactors) {
  const auto found = factors(std::vector<float>(9, 0.0F), 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->down, std::vector<double>(3, 0.0));
  EXPECT_EQ(found->across, std::vector<double>(3, 0.0));
}

}  // namespace
}  // namespace apod::convolution
