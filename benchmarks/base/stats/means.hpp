#pragma once

/// \file
/// Means, quantiles and their intervals, of spans of doubles. Nothing in this folder knows what a
/// benchmark is.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace apod {

/// A value with its interval, which is of 95 % where nothing else is said. Without an interval,
/// both ends are NaN.
struct Estimate {
  double value = 0;
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();

  bool has_interval() const { return !std::isnan(low) && !std::isnan(high); }
  double half_width() const { return (high - low) / 2; }
  /// Whether one end is more than half as far again from the value as the other, so that half the
  /// width is misleading. False for an interval whose width is only rounding.
  bool lopsided() const {
    if (!has_interval()) return false;
    const auto [near, far] = std::minmax({value - low, high - value});
    return far > 1.5 * near + 1e-9 * std::abs(high);
  }
};

}  // namespace apod

namespace apod::stats {

/// A mean with what its t interval needs.
struct MeanEstimate {
  double mean = 0;
  double standard_error = 0;
  double degrees = 1;  ///< degrees of freedom of the standard error, >= 1
};

/// exp(change) - 1: what a difference of logarithms is as a share.
double as_share(double log_change);
Estimate as_share(const Estimate& log_change);

constexpr double square(double x) {
  return x * x;
}

/// Arithmetic mean; NaN for an empty span.
double mean(std::span<const double> values);
/// Sum of (value - centre)^2, in long double: squares of the largest doubles don't overflow there,
/// squares of the smallest don't vanish.
long double square_sum(std::span<const double> values, double centre);
/// Unbiased sample standard deviation; 0 for fewer than two values.
double standard_deviation(std::span<const double> values);
/// Middle value, the mean of the two middle ones for an even count; NaN for an empty span.
double median(std::span<const double> values);
/// Type-7 quantile (Hyndman & Fan 1996; the default of R and NumPy); NaN for an empty span. Throws
/// std::domain_error unless q is in [0, 1].
double quantile(std::span<const double> values, double q);
/// The values, but farther ones moved to Tukey's fences: one and a half interquartile ranges beyond
/// the quartiles.
std::vector<double> within_fences(std::span<const double> values);

/// Quantile of Student's t with `degrees` > 0 degrees of freedom. Throws std::domain_error unless
/// `probability` is in (0, 1) and `degrees` is positive.
double t_quantile(double probability, double degrees);

/// estimate.mean +- t * estimate.standard_error.
Estimate t_interval(const MeanEstimate& estimate, double confidence = 0.95);

/// Mean of independent values with its standard error and n - 1 degrees. Fewer than two values:
/// standard error 0, 1 degree.
MeanEstimate mean_estimate(std::span<const double> values);

/// Mean with its t interval, taking the values as independent. With fewer than two values the
/// interval is the estimate itself.
Estimate mean_interval(std::span<const double> values, double confidence = 0.95);

/// Geometric mean of positive values with the t interval of their logarithms (Crow & Shimizu 1988,
/// "Lognormal Distributions", ch. 2). NaN where a value is not positive.
Estimate log_mean_interval(std::span<const double> values, double confidence = 0.95);

/// exp(mean of ln(a_i / b_i)) - 1 with its paired t interval: the relative change from b to a,
/// where a_i and b_i come from the same process. Values positive. Throws std::invalid_argument
/// unless both spans have the same size.
Estimate paired_change(std::span<const double> a, std::span<const double> b,
                       double confidence = 0.95);

/// The same of values without pairs, of whatever numbers: the ratio of the geometric means - 1,
/// with the t interval of two unequal variances (Welch 1947, "The generalization of 'Student's'
/// problem when several different population variances are involved"). Values positive. With fewer
/// than two values on a side the interval is the estimate itself; NaN where a span is empty.
Estimate unpaired_change(std::span<const double> a, std::span<const double> b,
                         double confidence = 0.95);

}  // namespace apod::stats
