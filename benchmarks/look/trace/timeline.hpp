#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kernels/api/activity.hpp"
#include "kernels/api/backend.hpp"

namespace apod::trace {

/// What a traced pass says about concurrency. Times in seconds, shares in [0, 1].
///
/// One stream runs its operations one after the other, so a start that a tracer stamped before the
/// end of its predecessor in the same stream is noise, and counts from that end. What overlaps here
/// therefore ran in different streams.
struct Timeline {
  double span_s = 0;                   ///< first start to last end
  double busy_s = 0;                   ///< some operation was running
  double idle_s = 0;                   ///< span - busy
  double kernel_s = 0;                 ///< union of all kernels
  double copy_s = 0;                   ///< union of all copies
  double overlap_s = 0;                ///< two or more operations ran at once
  double copy_kernel_overlap_s = 0;    ///< a copy and a kernel ran at once
  double kernel_kernel_overlap_s = 0;  ///< two or more kernels ran at once
  double concurrent_busy_s = 0;        ///< some operation was running, and two streams were in use
  double longest_gap_s = 0;            ///< longest time within the span with nothing running
  /// Time within the span in which the host waited for the device: the union of all copies by calls
  /// that wait for their end, and of all synchronisations but those of one stream with another.
  /// Nothing where the host was not watched.
  std::optional<double> host_wait_s;
  /// Median over kernels and copies of start - start of the call that made them. Only of those
  /// before which nothing ran on the device since that call, as others may have waited for it; of
  /// the many operations of one call, a graph's, the first; of none that seem to start before their
  /// call. Nothing where none is left.
  std::optional<double> launch_latency_s;
  int kernels = 0;
  int copies = 0;   ///< memsets are neither kernels nor copies
  int streams = 0;  ///< distinct streams that ran kernels or copies
  /// Most streams in use at once, each from the start of its first operation to the end of its
  /// last: those among which work could have run at once.
  int concurrent_streams = 0;
  std::uint64_t pageable_bytes = 0;  ///< of copies from or to pageable host memory
  std::uint64_t pinned_bytes = 0;    ///< of copies from or to pinned host memory alone
  /// Mean over the span of resident threads / threads the device can hold: for each kernel
  /// min(grid, resident_blocks * multiprocessors) * block threads, summed over kernels running at
  /// once and capped at the device. Where a kernel's resident_blocks is unknown, as many blocks as
  /// the multiprocessor has threads for. 0 when the device's limits are unknown.
  double occupancy = 0;
};

Timeline analyze(const Trace& trace, const DeviceFacts& device);

/// The timeline as facts that `expect` can name: overlap (time with two or more operations at once
/// / span), copy_kernel_overlap, kernel_overlap, idle, busy (all shares of span; 0 where the span
/// is 0), traced_streams, concurrent_streams, concurrent_busy (a share of the span), kernels,
/// copies, pageable_bytes, pinned_bytes, occupancy (absent when the device's limits are unknown),
/// registers (a thread, most of any kernel; absent on the host), host_wait (a share of the span)
/// and launch_latency (s) where they are known, longest_gap, kernel_time, copy_time, span (s).
/// Empty for an empty trace.
std::map<std::string, double> facts_of(const Trace& trace, const DeviceFacts& device);

}  // namespace apod::trace
