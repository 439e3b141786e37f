#include "benchmarks/base/stats/drift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/t_tests.hpp"

namespace apod::stats {
namespace {

constexpr double by_chance = 0.001;

/// What a line through the values leaves of them.
std::vector<double> left_by_line(std::span<const double> values) {
  const double middle = static_cast<double>(values.size() - 1) / 2;
  const double centre = mean(values);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    squares += x * x;
    products += x * (values[i] - centre);
  }
  std::vector<double> left;
  for (std::size_t i = 0; i < values.size(); ++i)
    left.push_back(values[i] - centre - products / squares * (static_cast<double>(i) - middle));
  return left;
}

double sum_of_squares(std::span<const double> values) {
  return static_cast<double>(square_sum(values, 0));
}

/// What levels that begin at these values leave.
double left_by_levels(std::span<const double> values, std::span<const std::size_t> starts) {
  double left = 0;
  for (std::size_t i = 0; i <= starts.size(); ++i) {
    const auto begin = i == 0 ? 0 : starts[i - 1];
    const auto end = i == starts.size() ? values.size() : starts[i];
    const auto level = values.subspan(begin, end - begin);
    left += static_cast<double>(square_sum(level, mean(level)));
  }
  return left;
}

/// What the best of all single steps leaves.
double left_by_step(std::span<const double> values) {
  const double centre = mean(values);
  const auto n = static_cast<double>(values.size());
  double most = 0;  // of the squares that a step explains
  double sum = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    sum += values[i - 1] - centre;
    const auto before = static_cast<double>(i);
    most = std::max(most, sum * sum * n / (before * (n - before)));
  }
  return static_cast<double>(square_sum(values, centre)) - most;
}

double alike_neighbours(std::span<const double> left) {
  const double squares = sum_of_squares(left);
  if (!(squares > 0)) return 0;
  double products = 0;
  for (std::size_t i = 1; i < left.size(); ++i) products += left[i] * left[i - 1];
  const auto n = static_cast<double>(left.size());
  return std::clamp(products / squares + 4 / n + 1 / std::sqrt(n), 0.0, 1.0);
}

/// The slope of a line through values with the autocorrelation r.
MeanEstimate slope_of(std::span<const double> values, double r) {
  std::vector<double> ones;  // the constant, the place and the value, made independent
  std::vector<double> places;
  std::vector<double> made;
  if (r < 1) {
    const double first = std::sqrt(1 - r * r);
    ones.push_back(first);
    places.push_back(0);
    made.push_back(first * values[0]);
  }
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto x = static_cast<double>(i);
    ones.push_back(1 - r);
    places.push_back(x - r * (x - 1));
    made.push_back(values[i] - r * values[i - 1]);
  }
  double oo = 0;
  double op = 0;
  double pp = 0;
  double om = 0;
  double pm = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    oo += ones[i] * ones[i];
    op += ones[i] * places[i];
    pp += places[i] * places[i];
    om += ones[i] * made[i];
    pm += places[i] * made[i];
  }
  // Differences of a random walk have no constant.
  const double determinant = oo * pp - op * op;
  const double slope = r < 1 ? (oo * pm - op * om) / determinant : pm / pp;
  const double constant = r < 1 ? (pp * om - op * pm) / determinant : 0;
  const double inverse = r < 1 ? oo / determinant : 1 / pp;
  double left = 0;
  for (std::size_t i = 0; i < made.size(); ++i)
    left += square(made[i] - constant * ones[i] - slope * places[i]);
  const auto degrees = static_cast<double>(values.size() - 2);
  return {slope, std::sqrt(left / degrees * inverse), degrees};
}

}  // namespace

std::optional<Drift> drift_at_end(std::span<const double> values,
                                  std::span<const std::size_t> starts) {
  std::size_t tests = 0;
  for (auto n = values.size(); n >= fewest_of_drift; n /= 2) ++tests;
  double least = tests == 0 ? 0 : by_chance / static_cast<double>(tests);
  std::optional<Drift> result;
  for (auto n = values.size(); n >= fewest_of_drift; n /= 2) {
    const auto first = values.size() - n;
    const auto last = values.subspan(first);
    const auto left = left_by_line(last);
    std::vector<std::size_t> steps;
    for (const auto start : starts) {
      if (start > first) steps.push_back(start - first);
    }
    const double by_levels = std::min(left_by_step(last), left_by_levels(last, steps));
    const auto slope = slope_of(last, alike_neighbours(left));
    if (slope.mean == 0 || sum_of_squares(left) >= by_levels) continue;
    const double p = p_different(slope, 0);
    if (p >= least) continue;
    least = p;
    result = {n, slope.mean * static_cast<double>(n - 1)};
  }
  return result;
}

}  // namespace apod::stats
