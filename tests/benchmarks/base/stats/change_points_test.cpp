#include "benchmarks/base/stats/change_points.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "benchmarks/base/stats/means.hpp"
#include "tests/benchmarks/base/stats/fixtures.hpp"
#include "tests/benchmarks/base/stats/noise.hpp"

namespace apod::stats {
namespace {

using Starts = std::vector<std::size_t>;

Values steps(Noise& noise, const std::vector<std::pair<std::size_t, double>>& segments) {
  Values values;
  for (const auto& [length, level] : segments) {
    for (std::size_t i = 0; i < length; ++i) values.push_back(level + noise());
  }
  return values;
}

/// What a cut costs, by its definition.
double cost_of(const Values& x, const ChangePoints& found) {
  Starts bounds = found.starts;
  bounds.insert(bounds.begin(), 0);
  bounds.push_back(x.size());
  double cost =
      3 * std::log(static_cast<double>(x.size())) * static_cast<double>(found.starts.size());
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    const auto segment = std::span(x).subspan(bounds[i - 1], bounds[i] - bounds[i - 1]);
    for (const double value : segment) cost += std::pow((value - mean(segment)) / found.noise, 2);
  }
  return cost;
}

TEST(ChangePoints, AreThoseOfOptimalPartitioningWithoutPruning) {
  std::size_t changes = 0;
  for (const auto& fixture : fixtures("change_points")) {
    SCOPED_TRACE(fixture.dump());
    const Values x = fixture.at("x");
    const auto found = change_points(x, fixture.at("least_deviation"), fixture.at("least_length"));
    EXPECT_TRUE(close(found.noise, fixture.at("noise")));
    EXPECT_EQ(found.starts, fixture.at("starts").get<Starts>());
    EXPECT_TRUE(close(cost_of(x, found), fixture.at("cost")));
    changes += found.starts.size();
  }
  EXPECT_GT(changes, 50u);
}

/// Cost of the best cut, by trying every start for every end.
double least_cost(const Values& x, double noise, std::size_t least_length) {
  Values best(x.size() + 1, infinity);
  const double penalty = 3 * std::log(static_cast<double>(x.size()));
  best[0] = -penalty;
  for (std::size_t end = least_length; end <= x.size(); ++end) {
    for (std::size_t start = 0; start + least_length <= end; ++start) {
      const auto segment = std::span(x).subspan(start, end - start);
      double cost = best[start] + penalty;
      for (const double value : segment) cost += std::pow((value - mean(segment)) / noise, 2);
      best[end] = std::min(best[end], cost);
    }
  }
  return best.back();
}

TEST(ChangePoints, PruningLosesNothing) {
  Noise noise(7);
  for (int run = 0; run < 1000; ++run) {
    const auto least_length = static_cast<std::size_t>(1 + run % 7);
    Values x(2 * least_length + static_cast<std::size_t>(run % 23));
    double level = 0;
    for (double& value : x) {
      if (noise() > 1) level = 4 * noise();
      value = level + noise();
    }
    const auto found = change_points(x, 1, least_length);
    ASSERT_NEAR(cost_of(x, found), least_cost(x, found.noise, least_length), 1e-9) << run;
  }
}

TEST(ChangePoints, FindAStep) {
  Noise noise(1);
  const auto found = change_points(steps(noise, {{40, 10}, {60, 15}}));
  EXPECT_EQ(found.starts, Starts{40});
  EXPECT_NEAR(found.noise, 1, 0.3);
}

TEST(ChangePoints, FindTwoSteps) {
  Noise noise(2);
  EXPECT_EQ(change_points(steps(noise, {{30, 10}, {30, 18}, {40, 4}})).starts, Starts({30, 60}));
}

TEST(ChangePoints, OfNoiseAloneAreRare) {
  Noise noise(3);
  int wrong = 0;
  for (int run = 0; run < 300; ++run) {
    wrong += change_points(steps(noise, {{100, 10}}), 0, 5).starts.empty() ? 0 : 1;
  }
  EXPECT_LT(wrong, 15);
}

TEST(ChangePoints, OfEqualValuesAreNone) {
  for (const double level : {0.0, 0.1, -1e300}) {
    const auto found = change_points(Values(50, level));
    EXPECT_TRUE(found.starts.empty());
    EXPECT_EQ(found.noise, 0);
  }
  EXPECT_EQ(change_points(Values(50, 3.0), 0.5).noise, 0.5);
}

TEST(ChangePoints, OfAStepWithoutNoiseAreFound) {
  Values x(20, 1.0);
  x.insert(x.end(), 30, 1.001);
  EXPECT_EQ(change_points(x).starts, Starts{20});
  EXPECT_TRUE(change_points(x, 0.01).starts.empty());  // far below the least deviation
}

TEST(ChangePoints, OfACoarseClockAreNone) {
  Values x(60, 5.0);
  for (const std::size_t late : {7u, 20u, 21u, 44u}) x[late] = 6;
  EXPECT_TRUE(change_points(x, 0, 5).starts.empty());
}

TEST(ChangePoints, OfAnOutlierAreItsOwnSegmentUnlessThatIsTooShort) {
  Noise noise(4);
  Values x = steps(noise, {{60, 10}});
  x[30] += 8;
  EXPECT_EQ(change_points(x, 0, 1).starts, Starts({30, 31}));
  EXPECT_TRUE(change_points(x, 0, 5).starts.empty());
}

TEST(ChangePoints, OfTooFewValuesAreNone) {
  EXPECT_TRUE(change_points({}).starts.empty());
  EXPECT_EQ(change_points({}).noise, 0);
  EXPECT_TRUE(change_points(Values{5}).starts.empty());
  EXPECT_EQ(change_points(Values{5}, 0.25).noise, 0.25);
  EXPECT_TRUE(change_points(Values{1, 1, 9}, 0.01, 2).starts.empty());
  EXPECT_EQ(change_points(Values{1, 1, 9, 9}, 0.01, 2).noise,
            change_points(Values{1, 1, 9, 9}).noise);
}

TEST(ChangePoints, SegmentsHaveTheLeastLength) {
  Noise noise(5);
  for (const std::size_t least : {1u, 3u, 10u}) {
    Starts starts =
        change_points(steps(noise, {{2, 0}, {9, 20}, {30, 5}, {4, 30}}), 0, least).starts;
    starts.insert(starts.begin(), 0);
    starts.push_back(45);
    for (std::size_t i = 1; i < starts.size(); ++i) EXPECT_GE(starts[i] - starts[i - 1], least);
  }
}

TEST(ChangePoints, DependOnNeitherUnitNorLevel) {
  Noise noise(6);
  const Values x = steps(noise, {{30, 10}, {25, 14}, {50, 11}});
  const Starts expected = change_points(x).starts;
  EXPECT_GE(expected.size(), 2u);
  for (const double unit : {1e-200, 1e-6, 1e200}) {
    Values scaled = x;
    for (double& value : scaled) value = (value + 1000) * unit;
    EXPECT_EQ(change_points(scaled).starts, expected) << unit;
  }
}

/// Shares of 300 series of 60 values in which any change is found: by change_points, and by
/// change_points_in_time. Neighbours have the autocorrelation `r`, and the second half is higher by
/// `step` standard deviations.
std::pair<double, double> found_in_series(double r, double step) {
  Noise noise(8);
  int independent = 0;
  int in_time = 0;
  constexpr int series = 300;
  for (int run = 0; run < series; ++run) {
    Values x;
    double state = noise();
    for (int i = 0; i < 60; ++i) {
      x.push_back(state + (i < 30 ? 0 : step));
      state = r * state + std::sqrt(1 - r * r) * noise();
    }
    const double spread = 1.25 * change_points(x).noise;
    independent += change_points(x, spread).starts.empty() ? 0 : 1;
    in_time += change_points_in_time(x, spread).starts.empty() ? 0 : 1;
  }
  return {independent / double{series}, in_time / double{series}};
}

TEST(ChangePointsInTime, AreNotMadeByNeighboursThatAreAlike) {
  const auto [independent, in_time] = found_in_series(0.8, 0);
  EXPECT_GT(independent, 0.5) << "or there is nothing to guard against";
  EXPECT_LT(in_time, 0.05);
}

TEST(ChangePointsInTime, OfIndependentValuesAreStillFound) {
  EXPECT_LT(found_in_series(0, 0).second, 0.02);
  EXPECT_GT(found_in_series(0, 3).second, 0.95);
  EXPECT_GT(found_in_series(0.8, 10).second, 0.95) << "a step far beyond where the level wanders";
}

TEST(ChangePointsInTime, OfEqualAndOfFewValuesAreNone) {
  EXPECT_TRUE(change_points_in_time(Values(50, 3.0), 0).starts.empty());
  EXPECT_TRUE(change_points_in_time({}, 1).starts.empty());
  EXPECT_TRUE(change_points_in_time(Values{5}, 1).starts.empty());
}

TEST(ChangePoints, RefuseWhatMakesNoSense) {
  for (const double bad : {not_a_number, infinity, -infinity}) {
    EXPECT_THROW(change_points(Values{1, bad, 3}), std::domain_error);
  }
  EXPECT_THROW(change_points(Values{1, 2}, -1), std::domain_error);
  EXPECT_THROW(change_points(Values{1, 2}, not_a_number), std::domain_error);
  EXPECT_THROW(change_points(Values{1, 2}, 0, 0), std::domain_error);
}

}  // namespace
}  // namespace apod::stats
