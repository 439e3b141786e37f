#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/ceilings.hpp"
#include "kernels/api/backend.hpp"

namespace apod::cli {

/// Where `bench ceilings` puts the ceilings of a device that are given no name:
/// results/ceilings/<device>-<hash>.json where there is a results/, else the same beside it. The
/// hash is of what they hold for beside the device: driver, CUDA, power limit.
std::string ceilings_path(const DeviceFacts& device);

struct FoundCeilings {
  std::string path;
  Ceilings ceilings;
};
/// The ceilings measured on such a device, of which little may be known, as a recording tells it:
/// in files named after it (<device>.json, <device>-*.json) whose conditions contradict nothing,
/// here, or in results/ceilings beside or above the program. Of several the latest; nothing where
/// there are none. A file that others could have put there (os::why_untrusted), that can't be read,
/// or that holds for others, is passed over with a note.
std::optional<FoundCeilings> find_ceilings(const DeviceFacts& device,
                                           std::vector<std::string>& notes);

}  // namespace apod::cli
