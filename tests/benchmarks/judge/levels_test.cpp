// What a series showed when it had fewer values.

#include "benchmarks/judge/levels.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace apod::judge {
namespace {

using Values = std::vector<double>;
using Starts = std::vector<std::size_t>;

/// Of the first `n` values.
Levels levels_of(const Values& values, std::size_t n) {
  return levels_in_time({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)}, 0);
}

TEST(Levels, AStepThatADriftHidComesBackWhereItWas) {
  const Values values{1.00, 1.00, 1.01, 0.99, 0.98, 1.02, 1.01, 1.00, 1.00, 0.99,
                      1.01, 1.02, 1.02, 1.00, 1.02, 1.05, 1.06, 1.07, 1.09, 1.09,
                      1.09, 1.11, 1.11, 1.13, 1.15, 1.13, 1.13, 1.12};
  bool was_hidden = false;
  for (std::size_t n = 19; n <= values.size(); ++n) {
    const auto levels = levels_of(values, n);
    was_hidden = was_hidden || levels.drift;
    if (levels.drift) continue;
    ASSERT_EQ(levels.starts.size(), 1u) << n;
    EXPECT_NEAR(static_cast<double>(levels.starts.front()), 15, 1) << n;
  }
  EXPECT_TRUE(was_hidden);
}

TEST(Levels, OneStepIsNotShownAtTwoPlaces) {
  const Values values{0.996, 0.997, 1.005, 1.005, 1.006, 1.006, 1.007, 1.056, 1.058, 1.066,
                      1.073, 1.061, 1.056, 1.046, 1.030, 1.045, 1.040, 1.035, 1.042, 1.028};
  EXPECT_EQ(levels_of(values, values.size()).starts, Starts{7});
}

TEST(Levels, ValuesThatTookTurnsLeaveNothingThatWasNotShown) {
  const Values values{1.00, 1.01, 0.99, 0.99, 1.06, 1.08, 1.08, 1.07, 0.99, 1.00,
                      1.01, 1.01, 1.08, 1.08, 1.07, 1.09, 1.00, 0.99, 1.05, 1.08,
                      1.08, 1.06, 1.06, 1.08, 1.08, 1.07, 1.06, 1.07};
  for (std::size_t n = 5; n < values.size(); ++n) {
    EXPECT_TRUE(levels_of(values, n).starts.empty()) << n;
  }
  EXPECT_TRUE(levels_of(values, values.size()).starts.empty());
}

TEST(Levels, TurnsBesideAStepAreNoStepsEither) {
  const auto turn = [](std::size_t i) { return i * 7 % 5 < 2 ? 2.55 : 3.15; };
  Values values;
  for (std::size_t i = 0; i < 40; ++i) values.push_back(10 + 0.01 * static_cast<double>(i % 3));
  for (std::size_t i = 0; i < 60; ++i)
    values.push_back(turn(i) + 0.01 * static_cast<double>(i % 2));
  EXPECT_EQ(levels_of(values, values.size()).starts, Starts{40}) << "turns after a step";
  for (std::size_t i = 0; i < 40; ++i) values.push_back(6 + 0.01 * static_cast<double>(i % 3));
  EXPECT_EQ(levels_of(values, values.size()).starts, (Starts{40, 100})) << "and before one";
  EXPECT_EQ(levels_of({values.begin() + 40, values.end()}, 100).starts, Starts{60});
}

TEST(Levels, ALevelBeginsBehindAnOutlier) {
  const Values values{1.00, 1.01, 1.00, 0.99, 1.00, 1.01, 1.90, 1.20, 1.21, 1.20, 1.19, 1.20, 1.21};
  for (std::size_t n = 9; n <= values.size(); ++n) {
    const auto levels = levels_of(values, n);
    EXPECT_EQ(levels.outliers, Starts{6}) << n;
    EXPECT_EQ(levels.starts, Starts{7}) << n;
  }
}

}  // namespace
}  // namespace apod::judge
