#pragma once

/// \file
/// How many empty launches go before each sample, so that the samples visit all phases of a launch.

#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <random>

#include "benchmarks/base/launch_phase.hpp"

namespace apod::run {

/// Samples visit the phases in rounds. In a round each phase comes once, in an order that is drawn:
/// with a fixed number of launches per sample, a period that has a factor in common with that
/// number would not be seen.
class LaunchTurns {
 public:
  /// Equal seeds draw equal orders. std::minstd_rand takes 0 for 1, and begins alike with small
  /// ones.
  explicit LaunchTurns(std::initializer_list<std::uint32_t> seed) {
    std::seed_seq mixed(seed);
    random_.seed(mixed);
  }

  /// The next sample begins a round.
  void begin_round() { visited_.reset(); }

  /// Empty launches to make before the next sample.
  int empty() const { return empty_; }

  /// After a sample: the number of launches before it, counted from the first sample on. `counted`
  /// launches came after the one that began the count. One that does not count does not visit its
  /// phase.
  std::uint64_t turn(std::uint64_t counted, bool counts = true);
  /// Counts `launches` that other work made between two samples.
  void skip(std::uint64_t launches);

 private:
  void choose(std::uint64_t soonest);

  std::mt19937 random_;
  std::bitset<launch_phases> visited_;  ///< in this round
  std::uint64_t launches_ = 0;          ///< before the next sample
  int empty_ = 0;
};

}  // namespace apod::run
