#pragma once

#include <cstdint>

namespace apod::trace {

/// Between two times, in seconds; 0 where the second is before the first.
inline double seconds(std::int64_t from_ns, std::int64_t to_ns) {
  if (to_ns <= from_ns) return 0;
  // Unsigned, as the difference of two far-off clocks may not fit the signed type.
  return static_cast<double>(static_cast<std::uint64_t>(to_ns) -
                             static_cast<std::uint64_t>(from_ns)) *
         1e-9;
}

/// How long an activity, a call, a range and so on took.
template <class Interval>
double seconds_of(const Interval& interval) {
  return seconds(interval.start_ns, interval.end_ns);
}

}  // namespace apod::trace
