#pragma once

/// \file
/// Work until the device is in the state that it would keep.

#include <functional>

#include "kernels/api/backend.hpp"

namespace apod::run {

struct SettleLimits {
  double window_s = 1;  ///< over which nothing may change: the driver averages power over a second
  double most_s = 10;   ///< no longer than this
};

/// How the wait ended.
struct Settled {
  bool settled = false;  ///< false: the time was over before
  double seconds = 0;    ///< that it took
  double low_mhz = 0;    ///< the SM clock's range within the last window
  double high_mhz = 0;
};

/// Calls `work`, which may take any time, until over one window neither the clock nor the power
/// changed by more than 1 %: the mean of its second half compared with that of its first. Throws
/// BackendError{unsupported} if the clock can't be read, and what `work` throws.
Settled settle(const std::function<void()>& work, const std::function<ClockReading()>& clock,
               const SettleLimits& limits = {});

}  // namespace apod::run
