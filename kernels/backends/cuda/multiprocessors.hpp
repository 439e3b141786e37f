#pragma once

#include "kernels/backends/cuda/check.hpp"

namespace apod::cuda {

/// Of the current device.
inline int multiprocessors() {
  int device = 0;
  int count = 0;
  APOD_CUDA(cudaGetDevice(&device));
  APOD_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

}  // namespace apod::cuda
