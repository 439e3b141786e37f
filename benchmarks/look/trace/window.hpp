#pragma once

/// \file
/// Parts of a trace: what belongs to a range, or to a device.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/activity.hpp"

namespace apod::trace {

/// The `index`-th, from 0, of the `count` ranges that are called so.
struct FoundRange {
  const NvtxRange* range = nullptr;  ///< null where there is none
  std::size_t index = 0;
  std::size_t count = 0;
};

/// The NVTX range that `text` means: "name", "name@domain" as nsys's --filter-nvtx has it, or
/// "domain:name" as tables show it, and with "/2" behind the name or all of it the third of them
/// (without it the first). A range that is called so as a whole goes first, because names may hold
/// '@', ':' and '/'. Marks are not ranges.
FoundRange look_up_range(const Trace& trace, std::string_view text);

/// Throws std::runtime_error: `flag` names a range that is not there. `why` goes before the name.
[[noreturn]] void refuse_range(const Trace& trace, const std::string& flag, const std::string& why,
                               const std::string& name);

/// Whether the program has more ranges of this name, or of one with another number.
bool has_more_like(const Trace& trace, const NvtxRange& range);

/// What the host did while `range` was open, in all threads, and all operations of devices that
/// were launched meanwhile, even when they ended later. An operation whose launch is not known
/// counts where it starts. Where the range's own thread gave work to devices, it is of these alone:
/// the others are of other ranks.
Trace window_of(Trace trace, const NvtxRange& range);

/// The devices that did something: first the one whose operations took longest together.
std::vector<std::uint32_t> devices_of(const Trace& trace);

/// What `device` did, with all that the host did but the calls that gave work to another device.
Trace on_device(Trace trace, std::uint32_t device);

}  // namespace apod::trace
