#include "benchmarks/stats/bootstrap.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace apod::stats {
namespace {

void check(std::size_t resamples, double confidence) {
  if (resamples == 0) throw std::invalid_argument("bootstrap: at least one resample is needed");
  if (!(confidence > 0 && confidence < 1)) {
    throw std::domain_error("bootstrap: confidence must be in (0, 1)");
  }
}

/// The statistic of each resample, in the order they were drawn.
std::vector<double> resampled(std::span<const double> values, const Statistic& statistic,
                              std::size_t resamples, std::uint64_t seed) {
  // The standard fixes the engine's numbers, but not those of std::uniform_int_distribution.
  std::mt19937_64 engine(seed);
  const auto draw = [&] { return values[((engine() >> 32) * values.size()) >> 32]; };
  std::vector<double> resample(values.size());
  std::vector<double> results(resamples);
  for (double& result : results) {
    std::generate(resample.begin(), resample.end(), draw);
    result = statistic(resample);
  }
  return results;
}

/// Share of results below the estimate, as a normal quantile: the bias of the median. Results equal
/// to the estimate count by half. Kept finite where all results are on one side.
double bias(std::span<const double> results, double estimate) {
  double below = 0;
  for (const double result : results) {
    below += result < estimate ? 1 : result == estimate ? 0.5 : 0;
  }
  const auto n = static_cast<double>(results.size());
  return boost::math::quantile(boost::math::normal(), std::clamp(below, 0.5, n - 0.5) / n);
}

/// Skewness of the statistic's influence values, by leaving out each value in turn.
double acceleration(std::span<const double> values, const Statistic& statistic) {
  std::vector<double> rest(values.begin() + 1, values.end());
  std::vector<double> results;
  for (std::size_t left_out = 0; left_out < values.size(); ++left_out) {
    results.push_back(statistic(rest));
    if (left_out < rest.size()) rest[left_out] = values[left_out];
  }
  const double centre = mean(results);
  const double scale = standard_deviation(results);
  if (!(scale > 0)) return 0;
  double squares = 0;
  double cubes = 0;
  for (const double result : results) {
    const double influence = (centre - result) / scale;
    squares += influence * influence;
    cubes += influence * influence * influence;
  }
  return cubes / (6 * squares * std::sqrt(squares));
}

}  // namespace

Interval bootstrap_percentile(std::span<const double> values, const Statistic& statistic,
                              std::size_t resamples, std::uint64_t seed, double confidence) {
  check(resamples, confidence);
  const double estimate = statistic(values);
  if (values.size() < 2) return {estimate, estimate, estimate};
  const auto results = resampled(values, statistic, resamples, seed);
  return {estimate, quantile(results, (1 - confidence) / 2),
          quantile(results, (1 + confidence) / 2)};
}

Interval bootstrap_bca(std::span<const double> values, const Statistic& statistic,
                       std::size_t resamples, std::uint64_t seed, double confidence) {
  check(resamples, confidence);
  const double estimate = statistic(values);
  if (values.size() < 2) return {estimate, estimate, estimate};
  const auto results = resampled(values, statistic, resamples, seed);
  const double z0 = bias(results, estimate);
  const double a = acceleration(values, statistic);
  const boost::math::normal normal;
  const auto bound = [&](double probability) {
    const double z = z0 + boost::math::quantile(normal, probability);
    // A strong acceleration turns the denominator's sign, from where on all results are inside.
    const double stretched = z / std::max(1 - a * z, std::numeric_limits<double>::min());
    return quantile(results, boost::math::cdf(normal, z0 + stretched));
  };
  return {estimate, bound((1 - confidence) / 2), bound((1 + confidence) / 2)};
}

}  // namespace apod::stats
