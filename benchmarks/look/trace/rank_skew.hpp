#pragma once

/// \file
/// Which device waits for which in the collectives of several devices.

#include <cstdint>
#include <vector>

#include "benchmarks/base/steps.hpp"
#include "kernels/api/activity.hpp"

namespace apod::trace {

/// A device whose times are later than those of the first by so much.
struct ClockOffset {
  std::uint32_t device = 0;
  std::int64_t ns = 0;
};

/// How long the collectives of each device wait for the device that begins the same one last. The
/// n-th kernel of a name is the same collective on all devices that ran as many of it. All of them
/// end at about the same time; where those of a device never overlap with the first one's, its
/// clock is another (a second node), and it is set right by the median of the differences. Returns
/// these.
std::vector<ClockOffset> find_skew(const Trace& trace, std::vector<DeviceSteps>& devices);

}  // namespace apod::trace
