#include "benchmarks/stats/summary.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace apod::stats {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Sums are taken in long double: squares of the largest doubles don't overflow there, squares of
// the smallest don't vanish.
long double square_sum(std::span<const double> values, double centre) {
  long double sum = 0;
  for (const double value : values) {
    const long double deviation = static_cast<long double>(value) - centre;
    sum += deviation * deviation;
  }
  return sum;
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [](double value) { return value > 0 ? std::log(value) : nan; });
  return result;
}

bool any_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

double two_sided_t(double confidence, double degrees) {
  return t_quantile((1 + confidence) / 2, degrees);
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

double t_quantile(double probability, double degrees) {
  if (!(probability > 0 && probability < 1)) {
    throw std::domain_error("t_quantile: probability must be in (0, 1)");
  }
  if (!(degrees > 0)) throw std::domain_error("t_quantile: degrees of freedom must be positive");
  // Without long double, which is slower and gives no better double.
  using Fast = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::quantile(boost::math::students_t_distribution<double, Fast>(degrees),
                               probability);
}

Interval t_interval(const MeanEstimate& estimate, double confidence) {
  const double t = two_sided_t(confidence, estimate.degrees);
  const double half = estimate.standard_error == 0 ? 0 : t * estimate.standard_error;
  return {estimate.mean, estimate.mean - half, estimate.mean + half};
}

Interval mean_interval(std::span<const double> values, double confidence) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return t_interval({mean(values), 0, 1}, confidence);
  return t_interval({mean(values), standard_deviation(values) / std::sqrt(n), n - 1}, confidence);
}

double autocorrelation_time(std::span<const double> values) {
  // A strong drift would ask for windows of the order of n, and so for n^2 steps. From this window
  // on neighbours are averaged in pairs instead, which leaves the variance of the mean as it is.
  constexpr std::size_t longest_window = 256;
  const std::size_t n = values.size();
  if (n < 3) return 1;
  const double centre = mean(values);
  const auto variance = square_sum(values, centre) / static_cast<long double>(n);
  if (!(variance > 0) || !std::isfinite(variance)) return 1;
  // In units of the standard deviation, so that neither huge nor tiny values leave double's range.
  std::vector<double> deviations(n);
  std::transform(values.begin(), values.end(), deviations.begin(), [&](double value) {
    return static_cast<double>((static_cast<long double>(value) - centre) / std::sqrt(variance));
  });
  double tau = 1;
  std::size_t lag = 1;
  for (; lag < n; ++lag) {
    const auto end = deviations.end() - static_cast<std::ptrdiff_t>(lag);
    const auto later = deviations.begin() + static_cast<std::ptrdiff_t>(lag);
    tau += 2 * std::transform_reduce(deviations.begin(), end, later, 0.0) / static_cast<double>(n);
    if (static_cast<double>(lag) >= 5 * tau) break;
    if (lag == longest_window && n > 4 * longest_window) {
      for (std::size_t i = 0; i < n / 2; ++i) {
        deviations[i] = std::midpoint(deviations[2 * i], deviations[2 * i + 1]);
      }
      deviations.resize(n / 2);
      const double pair_variance = static_cast<double>(square_sum(deviations, mean(deviations))) /
                                   static_cast<double>(n / 2);
      return std::clamp(2 * pair_variance * autocorrelation_time(deviations), 1.0,
                        static_cast<double>(n));
    }
  }
  // Deviations from the sample's own mean make every rho too small by about tau / n.
  tau *= 1 + static_cast<double>(2 * lag + 1) / static_cast<double>(n);
  return std::clamp(tau, 1.0, static_cast<double>(n));
}

MeanEstimate series_mean(std::span<const double> values) {
  if (values.size() < 2) return {mean(values), 0, 1};
  const auto n = static_cast<double>(values.size());
  const double effective = std::max(2.0, n / autocorrelation_time(values));
  const double centre = mean(values);
  // The n values spread around their own mean as `effective` independent ones would.
  const auto error = std::sqrt(square_sum(values, centre) / n / (effective - 1));
  return {centre, static_cast<double>(error), effective - 1};
}

Interval series_mean_interval(std::span<const double> values, double confidence) {
  return t_interval(series_mean(values), confidence);
}

std::size_t samples_for_precision(std::span<const double> pilot, double precision,
                                  double confidence) {
  constexpr std::size_t most = 1'000'000'000;
  if (pilot.size() < 2) return most;
  const double tau = autocorrelation_time(pilot);
  const MeanEstimate estimate = series_mean(pilot);
  const double wanted = precision * std::abs(estimate.mean);
  if (estimate.standard_error == 0) return 2;
  if (!std::isfinite(estimate.standard_error) || !(wanted > 0)) return most;

  // Variance of one sample: that of the mean times the effective samples.
  const boost::math::chi_squared spread(estimate.degrees);
  const double variance_bound = estimate.degrees / boost::math::quantile(spread, 0.1);
  const double deviation =
      estimate.standard_error * std::sqrt((estimate.degrees + 1) * variance_bound);
  const auto enough = [&](std::size_t samples) {
    const double effective = std::max(2.0, static_cast<double>(samples) / tau);
    return two_sided_t(confidence, effective - 1) * deviation / std::sqrt(effective) <= wanted;
  };
  std::size_t low = 2;
  std::size_t high = most;  // the half-width falls with the samples: bisect
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (enough(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

Interval log_mean_interval(std::span<const double> values, double confidence) {
  const auto interval = mean_interval(logarithms(values), confidence);
  return {std::exp(interval.estimate), std::exp(interval.low), std::exp(interval.high)};
}

Interval paired_change(std::span<const double> a, std::span<const double> b, double confidence) {
  if (a.size() != b.size()) throw std::invalid_argument("paired_change: spans differ in size");
  auto ratios = logarithms(a);
  const auto base = logarithms(b);
  std::transform(ratios.begin(), ratios.end(), base.begin(), ratios.begin(), std::minus<>());
  const auto interval = mean_interval(ratios, confidence);
  return {std::expm1(interval.estimate), std::expm1(interval.low), std::expm1(interval.high)};
}

Interval relative_change(const MeanEstimate& a, const MeanEstimate& b, double confidence) {
  if (!(a.mean > 0 && b.mean > 0)) return {nan, nan, nan};
  const auto square = [](double x) { return x * x; };
  const double variance_a = square(a.standard_error / a.mean);
  const double variance_b = square(b.standard_error / b.mean);
  const double variance = variance_a + variance_b;
  double degrees = 1;
  if (variance > 0) {
    // By shares, as squares of small variances would vanish.
    degrees =
        1 / (square(variance_a / variance) / a.degrees + square(variance_b / variance) / b.degrees);
  }
  const auto ln =
      t_interval({std::log(a.mean) - std::log(b.mean), std::sqrt(variance), degrees}, confidence);
  return {std::expm1(ln.estimate), std::expm1(ln.low), std::expm1(ln.high)};
}

Interval series_change(std::span<const double> a, std::span<const double> b, double confidence) {
  return relative_change(series_mean(a), series_mean(b), confidence);
}

}  // namespace apod::stats
