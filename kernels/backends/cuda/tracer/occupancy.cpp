#include "kernels/backends/cuda/tracer/occupancy.hpp"

#include <cuda_occupancy.h>

#include <algorithm>
#include <limits>

namespace apod::cuda {
namespace {

OccupancyLimiter limiter_of(unsigned factors) {
  if ((factors & OCC_LIMIT_WARPS) != 0) return OccupancyLimiter::threads;
  if ((factors & (OCC_LIMIT_BLOCKS | OCC_LIMIT_BARRIERS)) != 0) return OccupancyLimiter::blocks;
  if ((factors & OCC_LIMIT_REGISTERS) != 0) return OccupancyLimiter::registers;
  if ((factors & OCC_LIMIT_SHARED_MEMORY) != 0) return OccupancyLimiter::shared_memory;
  return OccupancyLimiter::unknown;
}

}  // namespace

Residency residency(const cudaDeviceProp& device, const LaunchResources& launch) {
  if (launch.threads_per_block == 0) return {};
  const cudaOccDeviceProp properties(device);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = std::numeric_limits<int>::max();
  attributes.numRegs = static_cast<int>(launch.registers_per_thread);
  attributes.sharedSizeBytes = launch.static_shared_bytes;
  // The launch did run, so whatever opt-in its dynamic shared memory needs was given.
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = launch.dynamic_shared_bytes;
  attributes.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result{};
  const auto status = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, static_cast<int>(launch.threads_per_block),
      launch.dynamic_shared_bytes);
  if (status != CUDA_OCC_SUCCESS) return {};
  return {static_cast<std::uint32_t>(std::max(result.activeBlocksPerMultiprocessor, 0)),
          limiter_of(result.limitingFactors)};
}

}  // namespace apod::cuda
