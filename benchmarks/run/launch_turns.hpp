#pragma once

/// \file
/// How many empty launches go before each sample, so that the samples visit all phases of a launch.

#include <bitset>
#include <cstdint>
#include <optional>
#include <random>

#include "benchmarks/base/launch_phase.hpp"
#include "kernels/api/backend.hpp"

namespace apod::run {

/// Samples visit the phases in rounds. In a round each phase comes once, in an order that is drawn:
/// with a fixed number of launches per sample, a period that has a factor in common with that
/// number would not be seen.
class LaunchTurns {
 public:
  /// Equal seeds draw equal orders.
  explicit LaunchTurns(unsigned seed) : random_(seed) {}

  /// The next sample begins a round.
  void begin_round() { visited_.reset(); }

  /// Empty launches to make before the next sample.
  int empty() const { return empty_; }

  /// After a sample: the number of launches before it, counted from the first sample on, which
  /// includes those that no sample made. Nothing where the numbers can't be those of a counter.
  std::optional<std::uint64_t> turn(const LaunchNumbers& counted);

 private:
  std::minstd_rand random_;
  std::bitset<launch_phases> visited_;  ///< in this round
  std::optional<LaunchNumbers> last_;   ///< of the sample before
  std::uint64_t first_ = 0;             ///< the number that began the first sample
  int empty_ = 0;
};

}  // namespace apod::run
