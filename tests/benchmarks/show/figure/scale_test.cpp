#include "benchmarks/show/figure/scale.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace apod::figure {
namespace {

std::vector<std::string> texts_of(const Ruler& ruler) {
  std::vector<std::string> texts;
  for (const auto& tick : ruler.ticks) texts.push_back(tick.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(ScaleTest, TicksAreRoundAndWithinTheRange) {
  EXPECT_EQ(round_values(0, 100, 5), (std::vector<double>{0, 25, 50, 75, 100}));
  for (const double high : {0.37, 1.0, 7.3, 98.0, 1234.5}) {
    const auto values = round_values(0, high, 5);
    EXPECT_GE(values.size(), 3u) << high;
    EXPECT_LE(values.size(), 9u) << high;
  }
}

TEST(ScaleTest, ALinearAxisHasOneUnitForAllTicks) {
  const std::vector<double> times{0.0225, 0.0787};
  const auto ruler = ruler_of({"time", text::Unit::seconds, Scale::linear, true}, times, 5);
  EXPECT_EQ(ruler.title, "time, ms");
  EXPECT_EQ(ruler.low, 0);
  EXPECT_EQ(texts_of(ruler), (Texts{"0", "20", "40", "60", "80"}));
}

TEST(ScaleTest, FifteenDecadesHaveFewTicksWithTheirOwnUnits) {
  const std::vector<double> times{1e-9, 1e6};
  const auto ruler = ruler_of({"time", text::Unit::seconds, Scale::log10}, times, 5);
  EXPECT_EQ(texts_of(ruler), (Texts{"10 us", "1 s", "100000 s"}));
}

TEST(ScaleTest, ALogarithmicAxisHasMoreThanOneTick) {
  const std::vector<double> intensities{13, 800};
  const auto ruler = ruler_of({"FLOP/B", text::Unit::ratio, Scale::log10}, intensities, 5);
  EXPECT_EQ(texts_of(ruler), (Texts{"20", "50", "100", "200", "500"}));
}

TEST(ScaleTest, PowersOfTwoAreWrittenAsSuch) {
  const std::vector<double> sizes{1024, 1073741824};
  const auto ruler = ruler_of({"size", text::Unit::count, Scale::log2}, sizes, 6);
  EXPECT_EQ(texts_of(ruler), (Texts{"2^10", "2^15", "2^20", "2^25", "2^30"}));
}

TEST(ScaleTest, EqualValuesStillHaveARange) {
  for (const double value : {0.0, 5.0, -3.0}) {
    const auto ruler = ruler_of({"x"}, std::vector<double>{value, value}, 5);
    EXPECT_LT(ruler.low, value);
    EXPECT_GT(ruler.high, value);
  }
  const auto ruler = ruler_of({"x", text::Unit::count, Scale::log10}, std::vector<double>{7}, 5);
  EXPECT_LT(ruler.low, 7);
  EXPECT_GT(ruler.high, 7);
}

TEST(ScaleTest, ValuesAtTheEndsOfWhatADoubleHoldsEndToo) {
  EXPECT_FALSE(has_place(Scale::log10, 5e-324));
  EXPECT_FALSE(has_place(Scale::linear, 1e300));
  for (const Scale scale : {Scale::linear, Scale::log2, Scale::log10}) {
    const auto ruler =
        ruler_of({"x", text::Unit::seconds, scale}, std::vector<double>{1e-150, 1e150}, 5);
    EXPECT_LT(ruler.ticks.size(), 40u);
  }
  const double next = std::nextafter(1e9, 2e9);
  EXPECT_LT(ruler_of({"x"}, std::vector<double>{1e9, next}, 5).low, 0.95e9);
}

TEST(ScaleTest, NoValuesMakeAnEmptyRuler) {
  EXPECT_TRUE(ruler_of({"x"}, {}, 5).ticks.empty());
}

TEST(MapTest, PlacesValuesByTheirRatioOnALogarithmicScale) {
  const Map map(Scale::log10, 1, 100, 0, 200);
  EXPECT_DOUBLE_EQ(map(10), 100);
  EXPECT_DOUBLE_EQ(map(std::numeric_limits<double>::infinity()), 200);
  EXPECT_DOUBLE_EQ(map(-std::numeric_limits<double>::infinity()), 0);
}

TEST(MapTest, LowPlacesMayBeBelowHighOnes) {
  const Map map(Scale::linear, 0, 10, 300, 100);
  EXPECT_DOUBLE_EQ(map(0), 300);
  EXPECT_DOUBLE_EQ(map(10), 100);
}

TEST(HasPlaceTest, LogarithmsNeedPositiveValues) {
  EXPECT_TRUE(has_place(Scale::linear, 0));
  EXPECT_FALSE(has_place(Scale::log2, 0));
  EXPECT_FALSE(has_place(Scale::log10, -1));
  EXPECT_FALSE(has_place(Scale::linear, std::nan("")));
}

}  // namespace
}  // namespace apod::figure
