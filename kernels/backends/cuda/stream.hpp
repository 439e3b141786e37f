#pragma once

/// \file
/// The CUDA stream of an apod::Stream, for `kernel<<<grid, block, shared, native(stream)>>>`.

#include <cuda_runtime_api.h>

#include "kernels/api/backend.hpp"

namespace apod::cuda {

/// The queue itself. `stream` must come from the CUDA backend.
inline cudaStream_t native(Stream& stream) {
  return reinterpret_cast<cudaStream_t>(stream.handle());
}

}  // namespace apod::cuda
