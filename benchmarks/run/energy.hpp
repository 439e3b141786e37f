#pragma once

/// \file
/// Energy from a counter that moves in steps.

#include <functional>
#include <vector>

#include "benchmarks/stats/means.hpp"

namespace apod::run {

/// The counter right after one of its steps.
struct EnergyMark {
  double at_s = 0;
  double joules = 0;
  double runs = 0;  ///< that had ended by then
};

/// Does `work`, which returns how many runs it made, again and again and looks at the counter, J,
/// in between; until `seconds` after its first step. Throws std::runtime_error where that takes ten
/// times as long, and what the others throw.
std::vector<EnergyMark> watch_energy(const std::function<double()>& counter,
                                     const std::function<int()>& work, double seconds = 2);

/// Of a run, above what the device uses while it idles.
struct EnergyEstimate {
  stats::Interval power_w;  ///< 95 %, of busy - idle
  double idle_w = 0;
  double run_s = 0;  ///< time of a run, in the loop

  /// The interval excludes 0 and is at most half of the value to either side.
  bool is_resolvable() const;
};

/// From marks of an idle and of a busy device, two or more each. The variance of each mean power is
/// that of ten parts of its time, and that of the counter's steps: what ended within a step may
/// have been counted in it or in the next, so with a step of u seconds either end of T seconds is
/// off by a uniform error, u / sqrt(12), and the power by P u / (T sqrt(6)). Energy is power times
/// time.
EnergyEstimate estimate_energy(const std::vector<EnergyMark>& idle,
                               const std::vector<EnergyMark>& busy);

}  // namespace apod::run
