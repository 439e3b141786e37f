#pragma once

#include <cstddef>
#include <span>

namespace apod::stats {

/// Where most of the values lie.
struct Centre {
  double value = 0;
  double deviation = 0;     ///< robust: 1.4826 times the median distance from `value`
  std::size_t members = 0;  ///< values within four deviations
};

/// Members lie within so many deviations.
inline constexpr double farthest_member = 4;

/// Begins with the half of the values that lie nearest to 0, and takes in what lies within four of
/// its deviations until nothing is added: so a group that lies apart counts for nothing, and of two
/// groups the one nearer to 0 is the centre. A NaN is passed over. Fewer than three values have no
/// centre: {}.
Centre centre_of(std::span<const double> values);

/// How far all values lie from `centre`, with those that lie apart: likewise robust.
double deviation_from(double centre, std::span<const double> values);

}  // namespace apod::stats
