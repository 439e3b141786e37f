#pragma once

#include <vector>

#include "benchmarks/model/profile.hpp"
#include "benchmarks/model/recording.hpp"
#include "kernels/api/activity.hpp"

namespace apod::trace {

/// The timeline of a trace: rows for NVTX ranges, host threads, directions of copies and streams,
/// each with its spans from the first operation of the device to the last, with a little room;
/// where there is none, from the first call or range. At most `most_spans` spans: what nobody could
/// tell apart at that size is one. Ranges and threads beyond the first few are left out. Threads
/// stand in the order in which they called; one without a name is the "main thread", or "thread 2"
/// ...
std::vector<Lane> lanes_of(const Trace& trace, const ThreadNames& threads = {});

/// Spans shorter than `gap_ns` that follow each other within it become one, which is at most twenty
/// times as long.
Lane joined(const Lane& lane, double gap_ns);

}  // namespace apod::trace
