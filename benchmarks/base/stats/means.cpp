#include "benchmarks/base/stats/means.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "benchmarks/base/stats/in_double.hpp"

namespace apod::stats {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [](double value) { return value > 0 ? std::log(value) : nan; });
  return result;
}

bool any_nan(std::span<const double> values) {
  return std::ranges::any_of(values, [](double value) { return std::isnan(value); });
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return nan;
  const long double sum = std::accumulate(values.begin(), values.end(), 0.0L);
  const auto result = static_cast<double>(sum / static_cast<long double>(values.size()));
  // Rounding must not push the mean of equal values off them: their spread would not be 0.
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return std::isnan(result) ? result : std::clamp(result, *low, *high);
}

long double square_sum(std::span<const double> values, double centre) {
  long double sum = 0;
  for (const double value : values) {
    const long double deviation = static_cast<long double>(value) - centre;
    sum += deviation * deviation;
  }
  return sum;
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  return static_cast<double>(
      std::sqrt(square_sum(values, mean(values)) / static_cast<long double>(values.size() - 1)));
}

double median(std::span<const double> values) {
  if (values.empty() || any_nan(values)) return nan;
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(sorted.begin(), middle), *middle);
}

double quantile(std::span<const double> values, double q) {
  if (!(q >= 0 && q <= 1)) throw std::domain_error("quantile: q must be in [0, 1]");
  if (values.empty() || any_nan(values)) return nan;
  std::vector<double> sorted(values.begin(), values.end());
  const double position = static_cast<double>(sorted.size() - 1) * q;
  const auto below = static_cast<std::size_t>(position);
  const auto low = sorted.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(sorted.begin(), low, sorted.end());
  if (below + 1 == sorted.size()) return *low;
  return std::lerp(*low, *std::min_element(low + 1, sorted.end()),
                   position - static_cast<double>(below));
}

std::vector<double> within_fences(std::span<const double> values) {
  const double low = quantile(values, 0.25);
  const double high = quantile(values, 0.75);
  const double beyond = 1.5 * (high - low);
  std::vector<double> within(values.begin(), values.end());
  for (double& value : within) value = std::clamp(value, low - beyond, high + beyond);
  return within;
}

double t_quantile(double probability, double degrees) {
  if (!(probability > 0 && probability < 1 && degrees > 0))
    throw std::domain_error("t_quantile: an argument is out of range");
  return boost::math::quantile(boost::math::students_t_distribution<double, InDouble>(degrees),
                               probability);
}

double as_share(double log_change) {
  return std::expm1(log_change);
}

Estimate as_share(const Estimate& log_change) {
  return {as_share(log_change.value), as_share(log_change.low), as_share(log_change.high)};
}

Estimate t_interval(const MeanEstimate& estimate, double confidence) {
  const double t = t_quantile((1 + confidence) / 2, estimate.degrees);
  const double half = estimate.standard_error == 0 ? 0 : t * estimate.standard_error;
  return {estimate.mean, estimate.mean - half, estimate.mean + half};
}

MeanEstimate mean_estimate(std::span<const double> values) {
  if (values.size() < 2) return {mean(values), 0, 1};
  const auto n = static_cast<double>(values.size());
  return {mean(values), standard_deviation(values) / std::sqrt(n), n - 1};
}

Estimate mean_interval(std::span<const double> values, double confidence) {
  return t_interval(mean_estimate(values), confidence);
}

Estimate log_mean_interval(std::span<const double> values, double confidence) {
  const auto interval = mean_interval(logarithms(values), confidence);
  return {std::exp(interval.value), std::exp(interval.low), std::exp(interval.high)};
}

Estimate paired_change(std::span<const double> a, std::span<const double> b, double confidence) {
  if (a.size() != b.size()) throw std::invalid_argument("paired_change: spans differ in size");
  auto ratios = logarithms(a);
  const auto base = logarithms(b);
  std::transform(ratios.begin(), ratios.end(), base.begin(), ratios.begin(), std::minus<>());
  return as_share(mean_interval(ratios, confidence));
}

Estimate unpaired_change(std::span<const double> a, std::span<const double> b, double confidence) {
  const auto after = mean_estimate(logarithms(a));
  const auto before = mean_estimate(logarithms(b));
  const double mean = after.mean - before.mean;
  const double after_variance = square(after.standard_error);
  const double before_variance = square(before.standard_error);
  const double variance = after_variance + before_variance;
  if (std::min(a.size(), b.size()) < 2 || variance == 0)
    return as_share(Estimate{mean, mean, mean});
  const double degrees = square(variance) / (square(after_variance) / after.degrees +
                                             square(before_variance) / before.degrees);
  return as_share(t_interval({mean, std::sqrt(variance), degrees}, confidence));
}

}  // namespace apod::stats
