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

/// A mean with what its t interval needs.
struct MeanEstimate {
  double mean = 0;
  double standard_error = 0;
  double degrees = 1;  ///< degrees of freedom of the standard error, >= 1
};

/// Arithmetic mean; NaN for an empty span.
double mean(std::span<const double> values);
/// Unbiased sample standard deviation; 0 for fewer than two values.
double standard_deviation(std::span<const double> values);
/// Middle value, the mean of the two middle ones for an even count; NaN for an empty span.
double median(std::span<const double> values);
/// Type-7 quantile (Hyndman & Fan 1996; the default of R and NumPy); NaN for an empty span. Throws
/// std::domain_error unless q is in [0, 1].
double quantile(std::span<const double> values, double q);

/// Quantile of Student's t with `degrees` > 0 degrees of freedom. Throws std::domain_error unless
/// `probability` is in (0, 1) and `degrees` is positive.
double t_quantile(double probability, double degrees);

/// estimate.mean +- t * estimate.standard_error.
Interval t_interval(const MeanEstimate& estimate, double confidence = 0.95);

/// Mean with its t interval, taking the values as independent. With fewer than two values the
/// interval is the estimate itself.
Interval mean_interval(std::span<const double> values, double confidence = 0.95);

/// Mean of a time series whose neighbours are correlated: variance and degrees of freedom from
/// n / autocorrelation_time effective samples (at least 2). Fewer than two values have a standard
/// error of 0.
MeanEstimate series_mean(std::span<const double> values);
/// t_interval of series_mean.
Interval series_mean_interval(std::span<const double> values, double confidence = 0.95);

/// Integrated autocorrelation time in samples, >= 1: 1 + 2 sum rho_k up to the first window
/// k >= 5 tau(k) (Sokal 1997, "Monte Carlo Methods in Statistical Mechanics", section 3), times
/// 1 + (2 k + 1) / n against its bias (Wolff 2004, "Monte Carlo errors with less errors", eq. 49).
/// Reliable from some 50 tau values on; with fewer it still comes out too small.
double autocorrelation_time(std::span<const double> values);

/// Samples needed so that the half-width of series_mean_interval is at most `precision` * mean,
/// judged from a pilot of the same process. At least 2; saturates at 1e9, as it does where nothing
/// can be judged (fewer than two pilot values, a spread around 0, a value that is not finite).
///
/// A pilot's variance is itself uncertain, and with the plain estimate every other run would miss.
/// So the upper 90 % confidence bound of the variance is used (Kupper & Hafner 1989, "How
/// appropriate are popular sample size formulas?", The American Statistician 43(2)).
std::size_t samples_for_precision(std::span<const double> pilot, double precision,
                                  double confidence = 0.95);

/// Geometric mean of positive values with the t interval of their logarithms (Crow & Shimizu 1988,
/// "Lognormal Distributions", ch. 2). NaN where a value is not positive.
Interval log_mean_interval(std::span<const double> values, double confidence = 0.95);

/// exp(mean of ln(a_i / b_i)) - 1 with its paired t interval: the relative change from b to a,
/// where a_i and b_i come from the same process. Values positive. Throws std::invalid_argument
/// unless both spans have the same size.
Interval paired_change(std::span<const double> a, std::span<const double> b,
                       double confidence = 0.95);

/// a.mean / b.mean - 1 for two independent means, interval by the delta method on their logarithms
/// (Casella & Berger 2002, "Statistical Inference", 5.5.4), degrees of freedom by Welch and
/// Satterthwaite. Means positive; NaN otherwise.
Interval relative_change(const MeanEstimate& a, const MeanEstimate& b, double confidence = 0.95);
/// relative_change of both series' means.
Interval series_change(std::span<const double> a, std::span<const double> b,
                       double confidence = 0.95);

}  // namespace apod::stats
