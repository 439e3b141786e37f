#pragma once

/// \file
/// Statistics of spans of doubles. Nothing here knows what a benchmark is.

#include <cstddef>
#include <span>

namespace apod::stats {

struct Interval {
  double estimate = 0;
  double low = 0;
  double high = 0;
};

/// Arithmetic mean; NaN for an empty span.
double mean(std::span<const double> values);
/// Unbiased sample standard deviation; 0 for fewer than two values.
double standard_deviation(std::span<const double> values);
/// Middle value, the mean of the two middle ones for an even count; NaN for an empty span.
double median(std::span<const double> values);
/// Type-7 quantile (R, NumPy default), q in [0, 1]; NaN for an empty span.
double quantile(std::span<const double> values, double q);

/// Quantile of Student's t with `degrees` > 0 degrees of freedom.
double t_quantile(double probability, double degrees);

/// Mean with its t interval, taking the values as independent. With fewer than two values the
/// interval is the estimate itself.
Interval mean_interval(std::span<const double> values, double confidence = 0.95);

/// Mean of a time series with its t interval, where neighbours are correlated: variance and degrees
/// of freedom from n / autocorrelation_time effective samples.
Interval series_mean_interval(std::span<const double> values, double confidence = 0.95);

/// Integrated autocorrelation time in samples, >= 1: 1 + 2 sum rho_k up to the first window
/// k >= 5 tau(k) (Sokal 1997, "Monte Carlo Methods in Statistical Mechanics", section 3).
double autocorrelation_time(std::span<const double> values);

/// Samples needed so that the half-width of series_mean_interval is at most `precision` * mean,
/// judged from a pilot of the same process. At least 2; saturates at 1e9.
std::size_t samples_for_precision(std::span<const double> pilot, double precision,
                                  double confidence = 0.95);

/// Geometric mean of positive values with the t interval of their logarithms (Crow & Shimizu 1988,
/// "Lognormal Distributions", ch. 2).
Interval log_mean_interval(std::span<const double> values, double confidence = 0.95);

/// exp(mean of ln(a_i / b_i)) - 1 with its paired t interval: the relative change from b to a, where
/// a_i and b_i come from the same process. Spans of equal size, values positive.
Interval paired_change(std::span<const double> a, std::span<const double> b,
                       double confidence = 0.95);

/// mean(a) / mean(b) - 1 for two independent series, interval by the delta method on ln of both
/// series means (Casella & Berger 2002, "Statistical Inference", 5.5.4).
Interval series_change(std::span<const double> a, std::span<const double> b,
                       double confidence = 0.95);

}  // namespace apod::stats
