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
/// The latest ceilings that were measured on this model of device. They are looked for in files
/// named after it (<device>.json, <device>-*.json), in the working folder and in results/ceilings
/// beside or above the program. Conditions that `device` does not know, as in a recording, do not
/// count. A file is skipped with a note if others could have put it there (os::why_untrusted), if
/// it can't be read, or if its conditions differ. Nothing if no file is left.
std::optional<FoundCeilings> find_ceilings(const DeviceFacts& device,
                                           std::vector<std::string>& notes);

}  // namespace apod::cli
