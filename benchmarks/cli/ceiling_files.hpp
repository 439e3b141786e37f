#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/ceilings.hpp"
#include "kernels/api/backend.hpp"

namespace apod::cli {

/// Where `bench ceilings` writes the ceilings of a device without a given name:
/// results/ceilings/<device>-<hash>.json if there is a results/, else the current folder. The hash
/// is of the conditions besides the device: driver, CUDA, power limit.
std::string ceilings_path(const DeviceFacts& device);

struct FoundCeilings {
  std::string path;
  Ceilings ceilings;
};
/// The ceilings measured on such a device, of which little may be known, as in a recording: in
/// files named after it (<device>.json, <device>-*.json) whose conditions contradict nothing, here,
/// or in results/ceilings beside or above the program. The latest if there are several; nothing if
/// there are none. A file that others could have put there (os::why_untrusted), that can't be read,
/// or that holds for other conditions, is skipped with a note.
std::optional<FoundCeilings> find_ceilings(const DeviceFacts& device,
                                           std::vector<std::string>& notes);

}  // namespace apod::cli
