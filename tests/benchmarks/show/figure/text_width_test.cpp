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
