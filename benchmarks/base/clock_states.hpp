#pragma once

/// \file
/// Samples by the clock of the device at which they were taken.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "benchmarks/base/measurement.hpp"

namespace apod {

/// Samples at about one clock.
struct ClockState {
  double mhz = 0;      ///< SM clock, median over the samples
  double seconds = 0;  ///< median of the samples
  std::size_t samples = 0;
};

/// The samples of a case, parted in the middle of the range of their SM clocks.
struct ClockStates {
  ClockState slow;
  ClockState fast;
  /// Fewer than one in ten samples lies in the middle third of the range. If false, the clock
  /// drifted.
  bool two = true;

  /// "two clock states: 214.9 us at 1575 MHz (40 samples), 188.7 us at 1980 MHz (60)".
  std::string text() const;
};

/// The clock states of the processes of one case. Throttled samples and those of unknown clock are
/// left out. Nothing if the two clocks differ by 2 % or less.
std::optional<ClockStates> clock_states(std::span<const Measurement* const> processes);

}  // namespace apod
