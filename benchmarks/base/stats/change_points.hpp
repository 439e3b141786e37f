#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace apod::stats {

struct ChangePoints {
  /// Index of the first value of each new segment, ascending; empty: one level throughout.
  std::vector<std::size_t> starts;
  double noise = 0;  ///< standard deviation within segments that was assumed
};

/// Standard deviation of the values by their first differences, whose own is sqrt(2) times that: by
/// the median of their sizes, which steps don't disturb, or by the root mean square where that is 0
/// (a coarse clock). 0 for fewer than two values.
double noise_of_neighbours(std::span<const double> values);

/// Steps in the level of a series of independent values: PELT (Killick, Fearnhead & Eckley 2012,
/// "Optimal detection of changepoints with a linear computational cost") with a Gaussian cost,
/// known variance and the penalty 3 ln n. The deviation is noise_of_neighbours, and at least
/// `least_deviation`. Where it is 0 there are no steps.
///
/// Segments have at least `least_length` values, which is 1 or more (std::invalid_argument). A lone
/// outlier makes a segment of that length L when it lies some sqrt(6 L ln n) deviations out. Values
/// must be finite (std::domain_error). Without steps the time grows with n^2: 10,000 values take
/// 0.5 s.
ChangePoints change_points(std::span<const double> values, double least_deviation = 0,
                           std::size_t least_length = 2);

/// The same, with segments of two values or more, where neighbours may be alike: a machine that is
/// warm today is warm tomorrow. `noise` is the standard deviation that differences between
/// neighbours show, over sqrt(2), >= 0.
///
/// A mean of n values with the lag-1 autocorrelation r is as uncertain as that of n independent
/// ones whose variance is the long-run variance, noise^2 (1 + r) / (1 - r)^2 for an AR(1) process
/// (differences show noise^2 = variance (1 - r)). So the cut is made with it, where r is that
/// within the segments of the cut before plus its bias and its standard error, at most 0.8, until
/// both agree. If independent values show no step, there is none here either.
ChangePoints change_points_in_time(std::span<const double> values, double noise);

}  // namespace apod::stats
