#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "benchmarks/base/recording.hpp"
#include "benchmarks/base/steps.hpp"
#include "kernels/api/activity.hpp"

namespace apod::trace {

/// The steps of `device`, with the parts of each, the start set apart. A step lasts from the end of
/// the last operation of the one before to the end of its own last one, as the host may run ahead
/// of the device. The start ends with the last step of those at the beginning that took more than
/// 1.5 times the median of the second half of all; the first step always belongs to it, for what
/// lies before it is not a step. If nothing repeats, the pauses in which code was loaded for a
/// kernel's first launch belong to the start. `wanted`: see find_steps. Empty where nothing ran.
Steps steps_of(const Trace& trace, std::uint32_t device, const ThreadNames& threads,
               const std::string& wanted = "");

/// Parts of the time from the first operation of the device to its last one.
Parts parts_of(const Trace& trace, std::uint32_t device);

/// The part of a trace that the steady steps are: what began in their time. All of
/// it where nothing repeats.
Trace steady_part(Trace trace, const Steps& steps);

/// A device whose times are later than those of the first by so much.
struct ClockOffset {
  std::uint32_t device = 0;
  std::int64_t ns = 0;
};

/// How long the collectives of each device wait for the device that begins the same one last. Only
/// kinds count that end at about the same time on all devices. The n-th kernel of a name and a
/// communicator is the same collective on all devices that ran as many of it. If those of a device
/// never overlap with the first one's, its clock is another (a second node), and is corrected by
/// the median of the differences. Returns these.
std::vector<ClockOffset> find_skew(const Trace& trace, std::vector<DeviceSteps>& devices);

/// The communicators of NCCL's kernels, by correlation; 0 if NCCL does not tell it.
std::unordered_map<std::uint32_t, std::uint64_t> communicators_of(const Trace& trace);

/// The collectives of the steady steps of `device` whose sizes NCCL told, longest first. The i-th
/// of a name, size and communicator is the same on all devices that ran as many of it: these are
/// its ranks. Its time is the shortest of them: that of the rank which starts last, so that no
/// wait is in it.
std::vector<Collective> measured_collectives(const Trace& trace, std::uint32_t device,
                                             const Steps& steps);

}  // namespace apod::trace
