#include "benchmarks/show/figure/text_width.hpp"

#include <gtest/gtest.h>

namespace apod::figure {
namespace {

TEST(TextWidthTest, WidthsAreThoseOfTheFont) {
  EXPECT_DOUBLE_EQ(text_width("i", 10), 2.22);
  EXPECT_DOUBLE_EQ(text_width("Wi", 10), 9.44 + 2.22);
  EXPECT_DOUBLE_EQ(text_width("", 10), 0);
  EXPECT_DOUBLE_EQ(text_width("\u4e2d", 10), 10);
}

TEST(FittedTest, NamesThatWouldBecomeEqualKeepWhatTellsThemApart) {
  const std::string head = "sm80_xmma_fprop_implicit_gemm_f32_tilesize";
  const auto shown =
      fitted_apart({head + "64x64_stage3_cudnn", "short", head + "128x32_stage3_cudnn"}, 120, 12);
  EXPECT_EQ(shown[0].substr(0, 13), "sm80_...64x64");
  EXPECT_EQ(shown[1], "short");
  EXPECT_EQ(shown[2].substr(0, 14), "sm80_...128x32");
  for (const auto& text : shown) EXPECT_LE(text_width(text, 12), 120) << text;
  const auto same = fitted_apart({head, head}, 120, 12);
  EXPECT_EQ(same[0], fitted(head, 120, 12)) << "one name";
}

TEST(FittedTest, LongNamesLoseTheirMiddle) {
  const std::string name(200, 'x');
  const std::string shown = fitted(name, 100, 12);
  EXPECT_LE(text_width(shown, 12), 100);
  EXPECT_GT(text_width(shown, 12), 80);
  EXPECT_NE(shown.find("..."), std::string::npos);
  EXPECT_EQ(fitted("short", 100, 12), "short");
}

}  // namespace
}  // namespace apod::figure
