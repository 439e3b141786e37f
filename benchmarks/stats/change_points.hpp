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

/// Steps in the level of a series of independent values: PELT (Killick, Fearnhead & Eckley 2012,
/// "Optimal detection of changepoints with a linear computational cost") with a Gaussian cost,
/// known variance and the penalty 3 ln n. The variance comes from the median absolute first
/// difference (robust against the steps themselves), and is at least `least_deviation`^2. Segments
/// have at least `least_length` values.
ChangePoints change_points(std::span<const double> values, double least_deviation = 0,
                           std::size_t least_length = 2);

}  // namespace apod::stats
