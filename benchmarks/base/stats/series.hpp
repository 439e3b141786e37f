#pragma once

/// \file
/// Means of time series, whose neighbours are correlated.

#include <cstddef>
#include <span>

#include "benchmarks/base/stats/means.hpp"

namespace apod::stats {

/// Mean of a time series whose neighbours are correlated: variance and degrees of freedom from
/// n / autocorrelation_time effective samples (at least 2). Fewer than two values have a standard
/// error of 0.
MeanEstimate series_mean(std::span<const double> values);
/// Integrated autocorrelation time in samples, >= 1: 1 + 2 sum rho_k up to the first window
/// k >= 5 tau(k) (Sokal 1997, "Monte Carlo Methods in Statistical Mechanics", section 3), times
/// 1 + (2 k + 1) / n against its bias (Wolff 2004, "Monte Carlo errors with less errors", eq. 49).
/// Reliable from some 50 tau values on; with fewer it still comes out too small.
double autocorrelation_time(std::span<const double> values);

/// Samples needed so that the half-width of series_mean's t_interval is at most `precision` * mean,
/// judged from a pilot of the same process. At least 2; saturates at 1e9, as it does where nothing
/// can be judged (fewer than two pilot values, a spread around 0, a value that is not finite).
///
/// A pilot's variance is itself uncertain, and with the plain estimate every other run would miss.
/// So the upper 90 % confidence bound of the variance is used (Kupper & Hafner 1989, "How
/// appropriate are popular sample size formulas?", The American Statistician 43(2)).
std::size_t samples_for_precision(std::span<const double> pilot, double precision,
                                  double confidence = 0.95);

}  // namespace apod::stats
