#include "kernels/data/number.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace apod {
namespace {

TEST(Number, RoundsToTheNearestTiesToEven) {
  EXPECT_EQ(to_fp16(1.0), 0x3C00);
  EXPECT_EQ(to_fp16(-2.0), 0xC000);
  EXPECT_EQ(to_fp16(1 + 0x1p-11), 0x3C00) << "a tie, down to even";
  EXPECT_EQ(to_fp16(1 + 0x1.8p-10), 0x3C02) << "a tie, up to even";
  EXPECT_EQ(to_fp16(1 + 0x1p-11 + 0x1p-40), 0x3C01) << "no tie, though it is one as an fp32";
  EXPECT_EQ(to_fp16(65504), 0x7BFF);
  EXPECT_EQ(to_fp16(65519.996), 0x7BFF);
  EXPECT_EQ(to_fp16(65520), 0x7C00) << "infinity";
  EXPECT_EQ(to_fp16(-std::numeric_limits<double>::max()), 0xFC00);
  EXPECT_EQ(to_fp16(std::numeric_limits<double>::infinity()), 0x7C00);
  EXPECT_EQ(to_fp16(std::numeric_limits<double>::quiet_NaN()), 0x7E00);
  EXPECT_EQ(to_fp16(0x1p-24), 1) << "the smallest subnormal";
  EXPECT_EQ(to_fp16(0x1p-25), 0) << "a tie";
  EXPECT_EQ(to_fp16(0x1.ffcp-15), 0x0400) << "up to the smallest normal";
  EXPECT_EQ(to_bf16(1.0), 0x3F80);
  EXPECT_EQ(to_bf16(1 + 0x1p-8), 0x3F80) << "a tie";
  EXPECT_EQ(to_bf16(1 + 0x1.8p-7), 0x3F82) << "a tie";
  EXPECT_EQ(to_bf16(1e39), 0x7F80);
  EXPECT_EQ(to_bf16(0x1p-133), 1) << "the smallest subnormal";
  EXPECT_EQ(rounded_to_tf32(1 + 0x1p-11F), 1.0F);
  EXPECT_EQ(rounded_to_tf32(-1 - 0x1.8p-10F), -1 - 0x1p-9F);
}

TEST(Number, EveryOneOf16BitsComesBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto stored = static_cast<std::uint16_t>(bits);
    if ((bits & 0x7C00U) != 0x7C00U || (bits & 0x3FFU) == 0) {
      ASSERT_EQ(to_fp16(from_fp16(stored)), stored) << bits;
    }
    if ((bits & 0x7F80U) != 0x7F80U || (bits & 0x7FU) == 0) {
      ASSERT_EQ(to_bf16(from_bf16(stored)), stored) << bits;
    }
  }
}

}  // namespace
}  // namespace apod
