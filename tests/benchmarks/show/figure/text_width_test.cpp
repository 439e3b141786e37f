#include "benchmarks/show/figure/text_width.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

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

TEST(FittedTest, NamesThatDifferInSeveralPlacesKeepEach) {
  std::vector<std::string> names;
  for (const char* algorithm : {"cub", "two_pass"}) {
    for (const char* size : {"1048576", "1073741824"}) {
      for (const char* type : {"fp32", "fp64"}) {
        names.push_back(std::string("reduction_over_all_sizes/") + algorithm + "/size:" + size +
                        "/accumulator:" + type + "/input:uniform_between_zero_and_one");
      }
    }
  }
  const auto shown = fitted_apart(names, 170, 12);
  EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), names.size());
  for (const auto& text : shown) {
    EXPECT_LE(text_width(text, 12), 170) << text;
    EXPECT_TRUE(text.ends_with("...")) << text << ": what was cut has a mark";
  }
  EXPECT_NE(shown[0].find("fp32"), std::string::npos) << shown[0];
  EXPECT_NE(shown[1].find("fp64"), std::string::npos) << shown[1];
}

TEST(FittedTest, NamesThatAreCutAlikeOnlyAfterwardsStayApartToo) {
  std::vector<std::string> names;
  for (const char* size : {"4096", "4194304", "1024"}) {
    for (const char* type : {"fp32", "fp64"}) {
      names.push_back(std::string("cub/size:") + size + "/accumulator:" + type);
    }
  }
  const auto shown = fitted_apart(names, 130, 12);
  EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), names.size()) << shown[0];
}

TEST(FittedTest, ANumberIsWholeOrNotThere) {
  std::vector<std::string> names;
  for (const char* kind : {"all_reduce", "all_gather"}) {
    for (std::int64_t size = 1024; size <= std::int64_t{1} << 32; size *= 4) {
      names.push_back(fmt::format("{}/size:{}/redop:max/in-place", kind, size));
    }
  }
  const auto shown = fitted_apart(names, 127, 12);
  EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto size = names[i].substr(16, names[i].find("/redop") - 16);
    EXPECT_NE(shown[i].find(size), std::string::npos) << shown[i] << " of " << names[i];
    EXPECT_LE(text_width(shown[i], 12), 127) << shown[i];
  }
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
