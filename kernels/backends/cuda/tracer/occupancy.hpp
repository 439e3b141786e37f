#pragma once

/// \file
/// How many blocks of a kernel fit one multiprocessor.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace apod::cuda {

/// What a launch takes of a multiprocessor.
struct LaunchResources {
  std::uint32_t threads_per_block = 0;
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;   ///< per block
  std::uint32_t dynamic_shared_bytes = 0;  ///< per block
};

/// Blocks that fit one multiprocessor of `device` at once, by the toolkit's occupancy calculator; 0
/// when it does not know the device.
std::uint32_t resident_blocks(const cudaDeviceProp& device, const LaunchResources& launch);

}  // namespace apod::cuda
