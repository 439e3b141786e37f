#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/model/ceilings.hpp"
#include "kernels/api/backend.hpp"

namespace apod::cli {

/// Where `bench ceilings` puts the ceilings of a device that are given no name, and every run looks
/// for them: results/ceilings/<device>-<hash>.json where there is a results/, else the same beside
/// it. The hash is of what they hold for beside the device: driver, CUDA, power limit.
std::string ceilings_path(const DeviceFacts& device);

/// The ceilings measured on such a device: found here, or in results/ceilings beside or above the
/// program. Nothing where there are none; a file that can't be read, or is of another device, is
/// passed over with a note.
std::optional<Ceilings> find_ceilings(const DeviceFacts& device, std::vector<std::string>& notes);

struct FoundCeilings {
  std::string path;
  Ceilings ceilings;
};
/// The same for a device of which less is known, as a recording tells it: files of that name whose
/// conditions contradict nothing. Of several the latest.
std::optional<FoundCeilings> find_ceilings_of_kind(const DeviceFacts& device,
                                                   std::vector<std::string>& notes);

}  // namespace apod::cli
