#pragma once

/// \file
/// Relu and max-pooling of 2x2, and their gradients. For .cu files only.

#include "kernels/network/device.hpp"

namespace apod::network {

/// In place. The last thread of all does what is left of the last quad.
__global__ void __launch_bounds__(threads) relu(float* values, std::int64_t count) {
  const std::int64_t quads = count / 4;
  for (std::int64_t i = first_index(); i <= quads; i += index_stride()) {
    if (i < quads) {
      auto four = reinterpret_cast<const Pack<4>*>(values)[i];
#pragma unroll
      for (float& value : four.at) value = fmaxf(value, 0.0F);
      reinterpret_cast<Pack<4>*>(values)[i] = four;
    } else {
      for (std::int64_t k = quads * 4; k < count; ++k) values[k] = fmaxf(values[k], 0.0F);
    }
  }
}

/// The gradient goes through where relu's result is positive.
__global__ void __launch_bounds__(threads)
    relu_gradient(const float* __restrict__ result, const float* __restrict__ d_result,
                  float* __restrict__ d_values, std::int64_t count) {
  const std::int64_t quads = count / 4;
  for (std::int64_t i = first_index(); i <= quads; i += index_stride()) {
    if (i < quads) {
      const auto four = reinterpret_cast<const Pack<4>*>(result)[i];
      auto gradients = reinterpret_cast<const Pack<4>*>(d_result)[i];
#pragma unroll
      for (int lane = 0; lane < 4; ++lane) {
        if (!(four.at[lane] > 0)) gradients.at[lane] = 0;
      }
      reinterpret_cast<Pack<4>*>(d_values)[i] = gradients;
    } else {
      for (std::int64_t k = quads * 4; k < count; ++k)
        d_values[k] = result[k] > 0 ? d_result[k] : 0;
    }
  }
}

/// Two neighbours of a row, which are aligned where rows are of even length.
template <bool even>
__device__ Pack<2> load_two(const float* values) {
  if constexpr (even) return *reinterpret_cast<const Pack<2>*>(values);
  return {values[0], values[1]};
}
template <bool even>
__device__ void store_two(float* values, const Pack<2>& two) {
  if constexpr (even) {
    *reinterpret_cast<Pack<2>*>(values) = two;
  } else {
    values[0] = two.at[0];
    values[1] = two.at[1];
  }
}

/// One thread per window.
template <bool even>
__global__ void __launch_bounds__(threads)
    max_pool(const float* __restrict__ values, float* __restrict__ pooled, Sizes sizes) {
  const int rows = sizes.rows / 2;
  const int cols = sizes.cols / 2;
  const auto all = static_cast<std::int64_t>(sizes.batch) * sizes.channels * rows * cols;
  for (std::int64_t i = first_index(); i < all; i += index_stride()) {
    const auto plane = i / (rows * cols);
    const int place = static_cast<int>(i % (rows * cols));
    const float* window =
        values + plane * sizes.plane() + place / cols * 2 * sizes.cols + place % cols * 2;
    const auto top = load_two<even>(window);
    const auto bottom = load_two<even>(window + sizes.cols);
    pooled[i] = fmaxf(fmaxf(top.at[0], top.at[1]), fmaxf(bottom.at[0], bottom.at[1]));
  }
}

/// One thread per window, including those cut short by the border: these have no maximum, so their
/// gradients are 0. The first of equal maxima has the gradient.
template <bool even>
__global__ void __launch_bounds__(threads)
    max_pool_gradient(const float* __restrict__ values, const float* __restrict__ d_pooled,
                      float* __restrict__ d_values, Sizes sizes) {
  const int rows = (sizes.rows + 1) / 2;
  const int cols = (sizes.cols + 1) / 2;
  const auto all = static_cast<std::int64_t>(sizes.batch) * sizes.channels * rows * cols;
  for (std::int64_t i = first_index(); i < all; i += index_stride()) {
    const auto plane = i / (rows * cols);
    const int row = static_cast<int>(i % (rows * cols)) / cols;
    const int col = static_cast<int>(i % cols);
    const auto at = plane * sizes.plane() + row * 2 * sizes.cols + col * 2;
    if (row * 2 + 1 < sizes.rows && col * 2 + 1 < sizes.cols) {
      const auto top = load_two<even>(values + at);
      const auto bottom = load_two<even>(values + at + sizes.cols);
      const float largest = fmaxf(fmaxf(top.at[0], top.at[1]), fmaxf(bottom.at[0], bottom.at[1]));
      const float gradient = d_pooled[(plane * (sizes.rows / 2) + row) * (sizes.cols / 2) + col];
      const bool first = top.at[0] == largest;
      const bool second = !first && top.at[1] == largest;
      const bool third = !first && !second && bottom.at[0] == largest;
      const bool fourth = !first && !second && !third;
      store_two<even>(d_values + at, {first ? gradient : 0, second ? gradient : 0});
      store_two<even>(d_values + at + sizes.cols, {third ? gradient : 0, fourth ? gradient : 0});
    } else {
      for (int corner = 0; corner < 4; ++corner) {
        const int y = corner / 2;
        const int x = corner % 2;
        if (row * 2 + y < sizes.rows && col * 2 + x < sizes.cols) {
          d_values[at + y * sizes.cols + x] = 0;
        }
      }
    }
  }
}

inline void launch_relu(float* values, const Dims& d, cudaStream_t stream) {
  relu<<<blocks_for(d.values() / 4 + 1), threads, 0, stream>>>(values, d.values());
  cuda::launched("relu");
}

inline void launch_relu_gradient(const float* result, const float* d_result, float* d_values,
                                 const Dims& d, cudaStream_t stream) {
  relu_gradient<<<blocks_for(d.values() / 4 + 1), threads, 0, stream>>>(result, d_result, d_values,
                                                                        d.values());
  cuda::launched("relu_gradient");
}

inline void launch_max_pool(const float* values, float* pooled, const Dims& d,
                            cudaStream_t stream) {
  const auto kernel = d.cols % 2 == 0 ? max_pool<true> : max_pool<false>;
  kernel<<<blocks_for(d.pooled()), threads, 0, stream>>>(values, pooled, Sizes(d));
  cuda::launched("max_pool");
}

inline void launch_max_pool_gradient(const float* values, const float* d_pooled, float* d_values,
                                     const Dims& d, cudaStream_t stream) {
  const auto kernel = d.cols % 2 == 0 ? max_pool_gradient<true> : max_pool_gradient<false>;
  kernel<<<blocks_for(d.values() / 4 + 1), threads, 0, stream>>>(values, d_pooled, d_values,
                                                                 Sizes(d));
  cuda::launched("max_pool_gradient");
}

}  // namespace apod::network
