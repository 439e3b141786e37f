#pragma once

#include <map>
#include <string>

#include "kernels/api/activity.hpp"
#include "kernels/api/backend.hpp"

namespace apod::trace {

/// What a traced pass says about concurrency, as facts that `expect` can name. Empty for an empty
/// trace. One stream runs its operations one after the other, so a start that a tracer stamped
/// before the end of its predecessor in the same stream is noise, and counts from that end. What
/// overlaps here therefore ran in different streams.
///
/// - span: from the first start to the last end; longest_gap: the longest time within it with
///   nothing running; kernel_time, copy_time: the union of all kernels, of all copies. In seconds.
/// - busy, idle, overlap (two or more operations ran at once), copy_kernel_overlap, kernel_overlap,
///   concurrent_busy (some operation was running, and two streams were in use): shares of the span;
///   0 where that is 0.
/// - host_wait: the share of the span in which the host waited for the device: the union of all
///   copies by calls that wait for their end, and of all synchronisations but those of one stream
///   with another. Absent where the host was not watched.
/// - launch_latency: median over kernels and copies of start - start of the call that made them.
/// Only
///   of those before which nothing ran on the device since that call, as others may have waited for
///   it; of the many operations of one call, a graph's, the first; of none that seem to start
///   before their call. Absent where none is left.
/// - kernels, copies (memsets are neither); traced_streams: distinct streams that ran either;
///   concurrent_streams: most streams in use at once, each from the start of its first operation to
///   the end of its last: those among which work could have run at once.
/// - pageable_bytes of copies from or to such memory; pinned_bytes of those from or to pinned
/// memory
///   alone.
/// - registers, local_bytes, shared_bytes: most of any kernel; absent on the host.
/// - occupancy: mean over the span of resident threads / threads the device can hold: for each
/// kernel
///   min(grid, resident_blocks * multiprocessors) * block threads, summed over kernels running at
///   once and capped at the device. Where a kernel's resident_blocks is unknown, as many blocks as
///   the multiprocessor has threads for. Absent where the device's limits are unknown.
std::map<std::string, double> facts_of(const Trace& trace, const DeviceFacts& device);

}  // namespace apod::trace
