#include <gtest/gtest.h>

#include <vector>

#include "benchmarks/show/document.hpp"

namespace apod::show {
namespace {

std::string chart_of(const std::vector<double>& values) {
  std::vector<Bar> bars;
  for (const double value : values) bars.push_back({value});
  return chart(bars);
}

TEST(Bars, ReachFromTheLowestToTheHighest) {
  EXPECT_EQ(chart_of({1, 2, 4, 8, 16, 32, 64, 128}), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(chart_of({1e-6, 1e-3}), "▁█");
}

TEST(Bars, NoiseLooksFlat) {
  EXPECT_EQ(chart_of({1, 1, 1}), "▅▅▅");
  EXPECT_EQ(chart_of({1, 1.01}), "▄▅");
}

TEST(Bars, WhatStandsAsideDoesNotStretchTheChart) {
  const std::vector<Bar> bars{{1}, {100, true}, {2}, {0.01, true}};
  EXPECT_EQ(chart(bars), "▁██▁");
}

TEST(Bars, AFailureHasItsMark) {
  const std::vector<Bar> bars{{0, false, true}, {1}};
  EXPECT_EQ(chart(bars), "x▅");
  EXPECT_EQ(chart(std::vector<Bar>{{0, false, true}}), "x");
  EXPECT_EQ(chart({}), "");
}

TEST(Bars, ASparkHasAllRunsAndWhereALevelBegins) {
  const std::vector<Bar> bars{{1}, {1}, {0, false, true}, {2, false, false, true}, {9, true}};
  const auto svg = spark(bars, "<name>");
  EXPECT_NE(svg.find("M93.0 0V20"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<title>&lt;name&gt;</title>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("M3.0 17.0L39.0 17.0L111.0 3.0"), std::string::npos) << svg;
  EXPECT_EQ(spark({}, "").find("nan"), std::string::npos);
}

}  // namespace
}  // namespace apod::show
