#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace apod::stats {

/// Two groups of values with a gap between them.
struct Modes {
  double low = 0;              ///< mean of the lower group
  double high = 0;             ///< mean of the upper one
  std::size_t low_count = 0;   ///< values in the lower group, >= 2
  std::size_t high_count = 0;  ///< in the upper one, >= 2
};

/// Six or more values parted at the largest gap, if the groups' means are further apart than 3.2 +
/// 36 / n standard deviations within them. Of normal values fewer than one in a hundred
/// sets shows two modes, and of t-distributed ones with three degrees one in a hundred (by
/// simulation, n from 6 to 16; tests/benchmarks/base/stats). Nothing otherwise.
std::optional<Modes> two_modes(std::span<const double> values);

/// The levels, ascending, of eight or more values in the order of time that take turns between
/// them: each has three values and a fifth of all, and they change at least four times, and half as
/// often as they would in a random order. A step, or a few, are no turns. Empty for those.
std::vector<double> taking_turns(std::span<const double> values);

}  // namespace apod::stats
