#pragma once

/// \file
/// Evicts the content of the L2, so that a sample finds none of its data there.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "kernels/api/backend.hpp"

namespace apod::cuda {

/// Resets persistent lines to normal. They need a part of the L2 set aside; without one, there are
/// none.
void end_persistence();

class CacheFlush {
 public:
  /// Takes device memory of twice the L2's size.
  explicit CacheFlush(const cudaDeviceProp& device);

  /// CacheMode::cold reads that memory: older dirty lines are evicted and written back, and the
  /// lines that take their place are clean. CacheMode::flushed writes as many bytes as the L2
  /// holds, and leaves them dirty.
  void enqueue(cudaStream_t stream, CacheMode mode) const;

  /// Only the read, as one kernel.
  void sweep(cudaStream_t stream) const;

 private:
  std::size_t l2_bytes_;
  unsigned blocks_;
  std::unique_ptr<Buffer> memory_;
};

}  // namespace apod::cuda
