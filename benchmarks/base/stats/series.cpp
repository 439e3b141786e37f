#include "benchmarks/base/stats/series.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "benchmarks/base/stats/in_double.hpp"

namespace apod::stats {
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
      for (std::size_t i = 0; i < n / 2; ++i)
        deviations[i] = std::midpoint(deviations[2 * i], deviations[2 * i + 1]);
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
  const boost::math::chi_squared_distribution<double, InDouble> spread(estimate.degrees);
  const double variance_bound = estimate.degrees / boost::math::quantile(spread, 0.1);
  const double deviation =
      estimate.standard_error * std::sqrt((estimate.degrees + 1) * variance_bound);
  const auto enough = [&](std::size_t samples) {
    const double effective = std::max(2.0, static_cast<double>(samples) / tau);
    return t_quantile((1 + confidence) / 2, effective - 1) * deviation / std::sqrt(effective) <=
           wanted;
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

}  // namespace apod::stats
