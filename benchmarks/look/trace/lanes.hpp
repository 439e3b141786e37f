#pragma once

#include <vector>

#include "benchmarks/base/profile.hpp"
#include "benchmarks/base/recording.hpp"
#include "kernels/api/activity.hpp"

namespace apod::trace {

/// The timeline of a trace: rows for NVTX ranges, host threads, directions of copies and streams,
/// each with its spans from the first operation of the device to the last, with a little room;
/// where there is none, from the first call or range. At most `most_spans` spans: what nobody could
/// tell apart at that size is one. Ranges and threads beyond the first few are left out. Threads
/// stand in the order in which they called; one without a name is the "main thread", or "thread 2"
/// ...
std::vector<Lane> lanes_of(const Trace& trace, const ThreadNames& threads = {});

}  // namespace apod::trace
