#pragma once

#include <string>
#include <string_view>

#include "kernels/api/activity.hpp"

namespace apod::trace {

/// The NVTX range that `text` means, as nsys's --filter-nvtx does: "name", "name@domain", and with
/// "/2" behind it the third of them (from 0; without it the first). A range that is called so as a
/// whole goes first, because names may hold '@' and '/'. Null where there is none; marks are no
/// ranges.
const NvtxRange* find_range(const Trace& trace, std::string_view text);

/// What the host did while `range` was open, in all threads, and all operations of devices that
/// were launched meanwhile, even when they ended later. An operation whose launch is not known
/// counts where it starts.
Trace window_of(Trace trace, const NvtxRange& range);

}  // namespace apod::trace
