#pragma once

#include <cstdint>
#include <string>
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

}  // namespace apod::trace
