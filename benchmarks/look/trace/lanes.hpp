#pragma once

#include <vector>

#include "benchmarks/base/profile.hpp"
#include "benchmarks/base/recording.hpp"
#include "kernels/api/activity.hpp"

namespace apod::trace {

/// The timeline of a trace: rows for NVTX ranges, host threads, directions of copies and streams,
/// each with its spans from the first operation of the device to the last, with a little room;
/// where there is none, from the first call or range. At most `most_spans` spans: spans that no eye
/// could tell apart at that size are one. Beyond the first few rows of a kind the others share one
/// row, as do ranges whose names differ by a number. Threads are in the order of their first calls;
/// one without a name is the "main thread", or "thread 2" ... The recorder's own work has a row.
std::vector<Lane> lanes_of(const Trace& trace, const ThreadNames& threads = {});
/// The same of a window, in ns of the trace, as of a step: all that overlaps it, cut at its ends.
std::vector<Lane> lanes_between(const Trace& trace, const ThreadNames& threads, std::int64_t from,
                                std::int64_t to);

}  // namespace apod::trace
