#pragma once

/// \file
/// Energy from a counter that moves in steps.

#include <functional>
#include <vector>

#include "benchmarks/base/stats/means.hpp"

namespace apod::run {

/// The counter right after one of its steps.
struct EnergyMark {
  double at_s = 0;
  double joules = 0;
};

struct EnergyWatch {
  std::vector<EnergyMark> marks;  ///< two or more
  double run_s = 0;               ///< time of a run; 0: there was none
};

/// Repeats `work`, which returns its number of runs. A second thread reads `counter`, J, until
/// `seconds` after its first step: on an H200 a reading takes some 2 ms, during which a device that
/// waited for it would idle. Throws std::runtime_error if there are no two steps within ten times
/// as long, and what the others throw.
EnergyWatch watch_energy(const std::function<double()>& counter, const std::function<int()>& work,
                         double seconds);

/// Of a run, above what the idle device uses.
struct EnergyEstimate {
  stats::Interval power_w;  ///< 95 %, of busy - idle
  double idle_w = 0;
  double run_s = 0;  ///< time of a run, in the loop

  /// The interval excludes 0 and reaches at most half of the value to either side.
  bool is_resolvable() const;
};

/// The variance of each mean power is that of ten parts of its time, plus that of the counter's
/// steps: energy used within a step may have been counted in it or in the next, so with steps of u
/// seconds either end of T seconds is off by a uniform error, u / sqrt(12), and the power by P u /
/// (T sqrt(6)). Energy is power times the time of a run.
EnergyEstimate estimate_energy(const EnergyWatch& idle, const EnergyWatch& busy);

}  // namespace apod::run
