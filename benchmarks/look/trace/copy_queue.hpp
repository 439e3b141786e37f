#pragma once

#include <cstdint>
#include <vector>

#include "kernels/api/activity.hpp"

namespace apod::trace {

/// A copy that waited for larger ones, while a kernel waited for it.
struct QueuedCopy {
  const Activity* copy = nullptr;  ///< in the trace
  std::uint64_t bytes_before = 0;  ///< of the copies that ran meanwhile
  double waited_s = 0;             ///< since it could have begun
  /// What it would save at most to copy it first: the time of the kernels behind it, as far as no
  /// kernel ran while it waited.
  double lost_s = 0;
};

/// Copies over the host link that waited for copies of other streams, in the same direction and
/// with at least ten times as many bytes: they run one after the other, in the order of their
/// calls. A copy counts if a kernel follows it in its stream before another such copy does, and if
/// its stream waits for no event: what else it waits for is then not known.
std::vector<QueuedCopy> queued_copies(const Trace& trace);

}  // namespace apod::trace
