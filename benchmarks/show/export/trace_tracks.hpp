#pragma once

/// \file
/// The tracks of a trace event file. Internal to report/.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace apod::exports {

/// Bars of one thread that overlap without one holding the other, spread over as many tracks as it
/// takes for every track to nest.
class Lanes {
 public:
  /// The track, from 0, for the next bar in order of start.
  std::size_t lane_of(std::int64_t start_ns, std::int64_t end_ns) {
    for (std::size_t lane = 0;; ++lane) {
      if (lane == open_.size()) open_.emplace_back();
      auto& ends = open_[lane];
      while (!ends.empty() && ends.back() <= start_ns) ends.pop_back();
      if (!ends.empty() && ends.back() < end_ns) continue;
      ends.push_back(end_ns);
      return lane;
    }
  }

 private:
  std::vector<std::vector<std::int64_t>> open_;  ///< ends of the open bars of each track
};

}  // namespace apod::exports
