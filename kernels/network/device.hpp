#pragma once

/// \file
/// What the kernels of this family share. For .cu files only.

#include <algorithm>
#include <cstdint>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/multiprocessors.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/network/tensors.hpp"

namespace apod::network {

/// `width` neighbours, loaded and stored at once.
template <int width>
struct alignas(sizeof(float) * width) Pack {
  float at[width];
};

/// Dims, as kernels count: each of them and the values of a channel fit an int.
struct Sizes {
  explicit Sizes(const Dims& d)
      : batch(static_cast<int>(d.batch)),
        channels(static_cast<int>(d.channels)),
        rows(static_cast<int>(d.rows)),
        cols(static_cast<int>(d.cols)) {}

  __host__ __device__ int plane() const { return rows * cols; }
  /// Where plane `channel` of image `image` begins.
  __host__ __device__ std::int64_t begin(int image, int channel) const {
    return (static_cast<std::int64_t>(image) * channels + channel) * plane();
  }

  int batch;
  int channels;
  int rows;
  int cols;
};

constexpr int threads = 256;  ///< of a block, in all kernels here

/// Blocks for a grid-stride loop over `count`: as many as it needs, and no more than some that a
/// device runs at once.
inline unsigned blocks_for(std::int64_t count) {
  const std::int64_t most = std::int64_t{32} * cuda::multiprocessors();
  return static_cast<unsigned>(std::clamp<std::int64_t>((count + threads - 1) / threads, 1, most));
}

__device__ inline std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t index_stride() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

}  // namespace apod::network
