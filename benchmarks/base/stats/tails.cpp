#include "benchmarks/base/stats/tails.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "benchmarks/base/stats/in_double.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/t_tests.hpp"

namespace apod::stats {
namespace {

constexpr std::size_t fewest_values = 10;
/// Of |z|, z standard normal.
constexpr double normal_median = 0.67449;
/// Of ln likelihood.
constexpr double margin_of_the_normal = 2;

std::vector<double> squares_of(std::span<const double> values) {
  std::vector<double> squares;
  squares.reserve(values.size());
  for (const double value : values) squares.push_back(value * value);
  return squares;
}

/// ln likelihood of a scaled t, and its most likely scale.
struct Fit {
  double likelihood = 0;
  Tails tails;
};

Fit normal_fit(std::span<const double> squares) {
  const auto n = static_cast<double>(squares.size());
  const double variance = mean(squares);
  return {-n / 2 * (std::log(2 * boost::math::constants::pi<double>() * variance) + 1),
          {std::sqrt(variance), std::numeric_limits<double>::infinity()}};
}

Fit student_fit(std::span<const double> squares, double degrees) {
  constexpr int most_steps = 30;
  const auto n = static_cast<double>(squares.size());
  double variance = mean(squares);
  // The EM steps of Lange, Little & Taylor.
  for (int step = 0; step < most_steps; ++step) {
    double sum = 0;
    for (const double square : squares) sum += square / (degrees + square / variance);
    variance = (degrees + 1) * sum / n;
  }
  double logs = 0;
  for (const double square : squares) logs += std::log1p(square / (degrees * variance));
  const double constant = std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2) -
                          std::log(degrees * boost::math::constants::pi<double>()) / 2;
  return {n * (constant - std::log(variance) / 2) - (degrees + 1) / 2 * logs,
          {std::sqrt(variance), degrees}};
}

}  // namespace

Tails fit_tails(std::span<const double> values) {
  if (values.size() < fewest_values) return {};
  const auto squares = squares_of(values);
  if (!(mean(squares) > 0)) return {};
  auto best = normal_fit(squares);
  best.likelihood += margin_of_the_normal;
  for (const double degrees : {50.0, 20.0, 10.0, 6.7, 5.0, 4.0, 3.3, 2.9, 2.5, 2.0, 1.4, 1.0}) {
    const auto fit = student_fit(squares, degrees);
    if (fit.likelihood > best.likelihood) best = fit;
  }
  return best.tails;
}

double normal_score(double t, double degrees) {
  constexpr double farthest = 37;  // beyond, P(Z > z) is no normal double
  constexpr double least_tail = 1e-298;
  const double tail = t_upper_tail(std::abs(t), degrees);
  if (!(tail > least_tail)) return std::copysign(farthest, t);
  const boost::math::normal_distribution<double, InDouble> normal;
  const double z = boost::math::quantile(boost::math::complement(normal, std::min(tail, 0.5)));
  return std::copysign(z, t);
}

}  // namespace apod::stats
