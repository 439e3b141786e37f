#pragma once

/// \file
/// The number and the limits of the current device's multiprocessors. They are queried, because
/// generations differ in threads per multiprocessor (1024 on Turing, 1536 on Ada, 2048 on Hopper)
/// as in shared memory.

#include <cstddef>

#include "kernels/backends/cuda/check.hpp"

namespace apod::cuda {

/// Of the current device.
inline int device_attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  APOD_CUDA(cudaGetDevice(&device));
  APOD_CUDA(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

inline int multiprocessors() {
  return device_attribute(cudaDevAttrMultiProcessorCount);
}

/// Threads that are resident at once if only their number limits them.
inline std::size_t resident_threads() {
  return static_cast<std::size_t>(multiprocessors()) *
         static_cast<std::size_t>(device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
}

/// Blocks of `kernel` that are resident at once, as the runtime computes it.
template <class Kernel>
std::size_t resident_blocks(Kernel* kernel, int threads, std::size_t shared_bytes = 0) {
  int blocks = 0;
  APOD_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, reinterpret_cast<const void*>(kernel), threads, shared_bytes));
  return static_cast<std::size_t>(blocks) * static_cast<std::size_t>(multiprocessors());
}

}  // namespace apod::cuda
