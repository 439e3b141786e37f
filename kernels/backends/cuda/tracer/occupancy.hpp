#pragma once

/// \file
/// How many blocks of a kernel fit one multiprocessor, and why no more.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/api/activity.hpp"

namespace apod::cuda {

/// The resources of a launch on a multiprocessor.
struct LaunchResources {
  std::uint32_t threads_per_block = 0;
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;   ///< per block
  std::uint32_t dynamic_shared_bytes = 0;  ///< per block
  friend auto operator<=>(const LaunchResources&, const LaunchResources&) = default;
};

struct Residency {
  std::uint32_t blocks = 0;  ///< at once on one multiprocessor; 0 unknown
  /// What limits it. If several do, the one that no other code could change comes first: a
  /// multiprocessor whose threads are all taken is full, whatever else would have been short.
  OccupancyLimiter limiter = OccupancyLimiter::unknown;
};

/// By the toolkit's occupancy calculator; unknown if it does not know the device.
Residency residency(const cudaDeviceProp& device, const LaunchResources& launch);

}  // namespace apod::cuda
