#include "benchmarks/show/figure/svg.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/support/texts.hpp"

namespace apod::figure {
namespace {

Figure curve(std::vector<Point> points) {
  Figure figure;
  figure.title = "Time falls";
  figure.description = "what it shows";
  figure.x = {"streams"};
  figure.y = {"time", text::Unit::seconds};
  figure.panels = {{"", {{"pinned", Mark::line, std::move(points), {}}}}};
  return figure;
}

Figure rows(Mark mark, std::vector<Point> points) {
  Figure figure = curve({});
  figure.x = {"time", text::Unit::seconds};
  figure.panels = {{"", {{"", mark, std::move(points), {}}}, {}, {"first", "second"}}};
  return figure;
}

TEST(SvgTest, IsNamedAndDescribed) {
  const auto svg = svg_of(curve({{1, 2e-3}, {2, 1e-3}}));
  EXPECT_TRUE(contains(svg, "<title>Time falls</title><desc>what it shows</desc>"));
  EXPECT_TRUE(contains(svg, "role=\"img\""));
  EXPECT_TRUE(contains(svg, ">time, ms<"));
  EXPECT_TRUE(contains(svg, ">pinned<")) << "the series is named at its end";
}

/// How a colour looks: to most people, without red cones, without green cones (Machado, Oliveira
/// and Fernandes 2009, "A physiologically-based model for simulation of color vision deficiency",
/// of severity 1).
enum class Eyes { usual, without_red, without_green };
std::array<double, 3> looks(const std::array<double, 3>& rgb, Eyes eyes) {
  using Matrix = std::array<std::array<double, 3>, 3>;
  constexpr Matrix without_red{{{0.152286, 1.052583, -0.204868},
                                {0.114503, 0.786281, 0.099216},
                                {-0.003882, -0.048116, 1.051998}}};
  constexpr Matrix without_green{{{0.367322, 0.860646, -0.227968},
                                  {0.280085, 0.672501, 0.047413},
                                  {-0.011820, 0.042940, 0.968881}}};
  if (eyes == Eyes::usual) return rgb;
  std::array<double, 3> seen{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& row = (eyes == Eyes::without_red ? without_red : without_green)[i];
    seen[i] = std::max(0.0, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2]);
  }
  return seen;
}

/// Oklab, in which equal distances look about equal: lightness (0 to 1), and the axes green to red
/// and blue to yellow, of a colour "#1a2b3c" or "#abc".
std::array<double, 3> seen(std::string hex, Eyes eyes) {
  if (hex.size() == 4) hex = {'#', hex[1], hex[1], hex[2], hex[2], hex[3], hex[3]};
  std::array<double, 3> rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(hex.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    rgb[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  const auto [r, g, b] = looks(rgb, eyes);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

TEST(SvgTest, NoTwoColoursLookTheSame) {
  const std::string rules = figure_rules;
  std::vector<std::string> names;
  for (int s = 0; s <= 7; ++s) names.push_back("s" + std::to_string(s));
  for (int k = 0; k <= 12; ++k) names.push_back("k" + std::to_string(k));
  for (const std::size_t mode : {std::size_t{0}, rules.find("@media")}) {
    const auto color_of = [&](const std::string& name, Eyes eyes) {
      auto at = rules.find("." + name + "{color:", mode);
      if (at == std::string::npos) at = rules.find("." + name + ",", mode);
      at = rules.find('#', std::min(at, rules.size()));
      return seen(rules.substr(at, rules.find('}', at) - at), eyes);
    };
    for (const auto& one : names) {
      for (const auto& other : names) {
        if (one >= other) continue;
        const auto apart = [&](Eyes eyes) {
          const auto a = color_of(one, eyes);
          const auto b = color_of(other, eyes);
          return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        };
        const auto who = one + " and " + other + (mode > 0 ? ", dark" : "");
        EXPECT_GT(apart(Eyes::usual), 0.085) << who;
        if (one[0] != 's' || other[0] != 's') continue;
        const double least = one < "s4" && other < "s4" ? 0.088 : 0.05;  // most figures have four
        EXPECT_GT(apart(Eyes::without_red), least) << who;
        EXPECT_GT(apart(Eyes::without_green), least) << who;
      }
    }
  }
}

TEST(SvgTest, OnlyAFileOfItsOwnBringsItsColours) {
  const auto figure = curve({{1, 2}, {2, 1}});
  EXPECT_TRUE(contains(svg_of(figure), "<style>"));
  EXPECT_FALSE(contains(svg_of(figure, {.alone = false}), "<style>"));
}

TEST(SvgTest, TextsAreHarmless) {
  auto figure = curve({{1, 2}, {2, 1, no_value, no_value, "\"]]><script>", "a\"b"}});
  figure.title = "<script>alert(1)</script>";
  figure.panels[0].series[0].name = "</svg>&\x1b";
  const auto svg = svg_of(figure, {.alone = false});
  EXPECT_FALSE(contains(svg, "<script"));
  EXPECT_EQ(count(svg, "</svg>"), 1u);
  EXPECT_FALSE(contains(svg, "\x1b"));
  EXPECT_TRUE(contains(svg, "data-c=\"a&quot;b\""));
}

TEST(SvgTest, WhatIsNoNumberIsLeftOutAndCounted) {
  const auto svg = svg_of(curve({{1, 2}, {2, std::nan("")}, {3, INFINITY}, {4, 1}}));
  EXPECT_TRUE(contains(svg, "2 values are left out: not a number"));
  EXPECT_FALSE(contains(svg, "nan"));
  EXPECT_FALSE(contains(svg, "inf"));
}

TEST(SvgTest, ALogarithmicScaleHasNoPlaceForZero) {
  auto figure = curve({{1, 0}, {2, 1e-9}, {3, 1e6}});
  figure.y.scale = Scale::log10;
  const auto svg = svg_of(figure);
  EXPECT_TRUE(contains(svg, "1 value is left out"));
  EXPECT_FALSE(contains(svg, "inf"));
}

TEST(SvgTest, IntervalsAreABandWhereEveryPointHasOne) {
  EXPECT_TRUE(contains(svg_of(curve({{1, 2, 1, 3}, {2, 2, 1, 3}})), "class=\"band\""));
  const auto some = svg_of(curve({{1, 2, 1, 3}, {2, 2}}));
  EXPECT_FALSE(contains(some, "class=\"band\""));
  EXPECT_EQ(count(some, "class=\"whisker\""), 1u);
}

TEST(SvgTest, LongLinesHaveNoMarkAtEachPoint) {
  std::vector<Point> points;
  for (int i = 0; i < 31; ++i) points.push_back({static_cast<double>(i), 1.0 + i});
  EXPECT_EQ(count(svg_of(curve(points)), "point p"), 1u) << "that of the name alone";
  points.resize(5);
  EXPECT_EQ(count(svg_of(curve(points)), "point p"), 6u);
}

TEST(SvgTest, BarsBeginAtZero) {
  const auto svg = svg_of(rows(Mark::bars, {{10, 0}, {11, 1}}), {.width = 400});
  EXPECT_TRUE(contains(svg, ">0</text>"));
  EXPECT_EQ(count(svg, "<rect"), 2u);
}

TEST(SvgTest, SpansReachFromOneTimeToAnother) {
  const auto svg = svg_of(rows(Mark::spans, {{0, 0, 1e-3, 2e-3}, {0, 1, 2e-3, 4e-3}}));
  const auto spans = svg.substr(svg.find("<g class=\"spans"));
  const auto paths = spans.substr(0, spans.find("</g>"));
  EXPECT_EQ(count(paths, "<path"), 1u) << "nothing is said of either";
  EXPECT_EQ(count(paths, "M"), 2u);
  EXPECT_TRUE(contains(svg, ">first<"));
}

TEST(SvgTest, SamplesThatNobodyCouldTellApartAreOne) {
  const auto path_of = [](const std::vector<Point>& samples) {
    const auto svg = svg_of(rows(Mark::ticks, samples));
    const auto begin = svg.find("<path class=\"sample\"");
    return svg.substr(begin, svg.find("/>", begin) - begin);
  };
  EXPECT_EQ(count(path_of({{1, 0}, {1 + 1e-6, 0}, {2, 0}, {2, 1}}), "M"), 3u);
}

TEST(SvgTest, SmallTextIsForWhoFitsNoTextToItsRoom) {
  EXPECT_TRUE(contains(svg_of(curve({{1, 1}}), {.small = true}), "font-size:10.3px"));
  EXPECT_FALSE(contains(svg_of(curve({{1, 1}})), "font-size:10.3px"));
}

TEST(SvgTest, PointsThatHaveANameShowIt) {
  auto figure = curve({{1, 1}, {2, 2}});
  figure.panels[0].series[0].mark = Mark::dots;
  figure.panels[0].series[0].points[1].name = "tiled, 4096";
  EXPECT_EQ(count(svg_of(figure), "class=\"name\""), 1u);
  EXPECT_TRUE(contains(svg_of(figure), ">tiled, 4096</text>"));
}

TEST(SvgTest, ANameDoesNotCrossALineThatRises) {
  // A point just above a roof: to its right the roof is in the way.
  auto figure = curve({{1, 1}, {5, 5.3}, {10, 10}});
  figure.panels[0].series[0].mark = Mark::dots;
  figure.panels[0].series[0].points[1].name = "above the roof";
  const auto x_of = [&] {
    const auto svg = svg_of(figure);
    const auto text = svg.rfind("<text", svg.find(">above the roof</text>"));
    return std::stod(svg.substr(svg.find(" x=\"", text) + 4));
  };
  const double alone = x_of();
  figure.panels[0].guides.push_back({"roof", {{1, 1}, {10, 10}}});
  EXPECT_LT(x_of(), alone) << "to the left there is room";
}

TEST(SvgTest, ATickAtAnEndStaysWithinTheDrawing) {
  auto figure = curve({{0, 1}, {1, 2}});
  figure.x.ticks = {{0, "2026-11-23 18:41, the first"}, {1, "2026-11-24 18:41, the last"}};
  const auto svg = svg_of(figure, {.width = 350});
  const auto text = svg.rfind("<text", svg.find(">2026-11-23"));
  EXPECT_GE(std::stod(svg.substr(svg.find(" x=\"", text) + 4)), 70) << "half of its width";
}

TEST(SvgTest, MoreThanSixSeriesHaveALegend) {
  Figure figure = curve({});
  figure.panels[0].series.clear();
  for (std::size_t i = 0; i < 40; ++i) {
    figure.panels[0].series.push_back({"series " + std::to_string(i),
                                       Mark::line,
                                       {{1, 1.0 + static_cast<double>(i)}, {2, 2}},
                                       {{}, i}});
  }
  const auto svg = svg_of(figure);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_TRUE(contains(svg, ">series " + std::to_string(i) + "<"));
  }
  EXPECT_FALSE(contains(svg, "class=\"leader\""));
}

TEST(SvgTest, ANameOf200CharactersIsShortenedAndWholeInItsTitle) {
  auto figure = rows(Mark::bars, {{1, 0}});
  const std::string name = std::string(199, 'n') + "!";
  figure.panels[0].rows = {name};
  const auto svg = svg_of(figure);
  EXPECT_TRUE(contains(svg, "<title>" + name + "</title>"));
  EXPECT_TRUE(contains(svg, "...n"));
}

TEST(SvgTest, AFigureOfNothingIsEmpty) {
  EXPECT_TRUE(Figure{}.empty());
  EXPECT_TRUE(curve({{std::nan(""), 1}}).empty());
  EXPECT_FALSE(curve({{1, 1}}).empty());
  EXPECT_TRUE(contains(svg_of(Figure{}), "</svg>"));
  EXPECT_TRUE(contains(svg_of(curve({})), "</svg>"));
}

TEST(SvgTest, PanelsShareTheirAxes) {
  Figure figure = curve({{1, 1}, {2, 2}});
  figure.panels.push_back({"large", {{"pinned", Mark::line, {{1, 100}, {2, 200}}, {}}}});
  const auto svg = svg_of(figure, {.width = 800});
  EXPECT_EQ(count(svg, ">200</text>"), 2u);
}

}  // namespace
}  // namespace apod::figure
