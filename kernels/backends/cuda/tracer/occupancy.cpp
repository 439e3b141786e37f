#include "kernels/backends/cuda/tracer/occupancy.hpp"

#include <cuda_occupancy.h>

#include <algorithm>
#include <limits>

namespace apod::cuda {

std::uint32_t resident_blocks(const cudaDeviceProp& device, const LaunchResources& launch) {
  if (launch.threads_per_block == 0) return 0;
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
  if (status != CUDA_OCC_SUCCESS) return 0;
  return static_cast<std::uint32_t>(std::max(result.activeBlocksPerMultiprocessor, 0));
}

}  // namespace apod::cuda
