#include <gtest/gtest.h>

#include "benchmarks/base/tuning.hpp"
#include "tests/benchmarks/show/texts.hpp"

namespace apod::show {
namespace {

/// What the report says first of a search whose best changed the default by `gain`.
std::string verdict(const std::string& objective, bool more_is_better, const Estimate& gain) {
  Tuning tuning{.name = "t"};
  TunedShape shape{.objective = objective, .more_is_better = more_is_better};
  shape.gain = gain;
  shape.rows = {{.label = "tile 4", .value = {1}}, {.label = "tile 2", .is_default = true}};
  tuning.shapes.push_back(shape);
  const auto text = written(tuning, Format::console);
  const auto begin = text.find("Best: ");
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(TuningReport, SaysByHowMuchTheBestIsBetterInTheDirectionOfTheObjective) {
  EXPECT_EQ(verdict("time", false, {-0.25, -0.26, -0.24}),
            "Best: tile 4, 25.0 % less time (24.0 to 26.0 %, at 99 %) than the default");
  EXPECT_EQ(verdict("energy", false, {-0.25, -0.26, -0.24}),
            "Best: tile 4, 25.0 % less energy (24.0 to 26.0 %, at 99 %) than the default");
  EXPECT_EQ(verdict("bandwidth", true, {0.5, 0.4, 0.6}),
            "Best: tile 4, 50.0 % more bandwidth (40.0 to 60.0 %, at 99 %) than the default");
}

TEST(TuningReport, AChangeThatIsNotCertainHasItsSign) {
  EXPECT_EQ(verdict("time", false, {1.189, -0.2, 5}),
            "Best: tile 4, but not certainly better than the default: time +118.9 % (-20.0 to "
            "+500.0 %, at 99 %)");
  EXPECT_EQ(verdict("time", false, {0.5}),
            "Best: tile 4, but not certainly better than the default: time +50.0 %");
  EXPECT_EQ(verdict("bandwidth", true, {0.5, -0.1, 0.6}),
            "Best: tile 4, but not certainly better than the default: bandwidth +50.0 % (-10.0 to "
            "+60.0 %, at 99 %)");
}

}  // namespace
}  // namespace apod::show
