#pragma once

/// \file
/// The gradient of the weights, on ordinary cores. For .cu files only.

#include "kernels/network/device.hpp"

namespace apod::network {

/// A block adds up the products of 32 filters with 16 channels over some strips of 32x4 pixels;
/// each of its threads all nine of two filters and one channel. For a pixel it reads five values
/// from shared memory and does 18 multiply-adds.
struct GradientTile {
  static constexpr int filters = 32;
  static constexpr int channels = 16;
  static constexpr int rows = 4;
  static constexpr int cols = 32;
  static constexpr int all_cols = cols + 2;
  // Odd distances keep the filters, and the channels, of a warp in different banks.
  static constexpr int filter_floats = rows * cols + 1;
  static constexpr int channel_floats = (rows + 2) * all_cols + 1;
};

/// Leaves a gradient for each blockIdx.z, which has every gridDim.z-th strip.
__global__ void __launch_bounds__(threads)
    partial_weight_gradient(const float* __restrict__ d_convolved, const float* __restrict__ image,
                            float* __restrict__ partials, Sizes sizes) {
  using T = GradientTile;
  __shared__ float left[T::filters * T::filter_floats];
  __shared__ float right[T::channels * T::channel_floats];
  const int first_channel = static_cast<int>(blockIdx.x) * T::channels;
  const int first_filter = static_cast<int>(blockIdx.y) * T::filters;
  const int thread = static_cast<int>(threadIdx.x);
  const int channel = thread % T::channels;
  const int filter = thread / T::channels;  // and the one 16 further
  const int across = (sizes.cols + T::cols - 1) / T::cols;
  const int down = (sizes.rows + T::rows - 1) / T::rows;
  const auto strips = static_cast<std::int64_t>(sizes.batch) * down * across;

  float sums[2][taps] = {};
  for (std::int64_t strip = blockIdx.z; strip < strips; strip += gridDim.z) {
    const int n = static_cast<int>(strip / (down * across));
    const int place = static_cast<int>(strip % (down * across));
    const int top = place / across * T::rows;
    const int begin = place % across * T::cols;
    __syncthreads();  // whoever still reads the last strip
    for (int i = thread; i < T::filters * T::rows * T::cols; i += threads) {
      const int k = i / (T::rows * T::cols);
      const int row = top + i / T::cols % T::rows;
      const int col = begin + i % T::cols;
      const bool inside = first_filter + k < sizes.channels && row < sizes.rows && col < sizes.cols;
      left[k * T::filter_floats + i % (T::rows * T::cols)] =
          inside ? __ldg(d_convolved + sizes.begin(n, first_filter + k) + row * sizes.cols + col)
                 : 0.0F;
    }
    constexpr int patch = (T::rows + 2) * T::all_cols;
    for (int i = thread; i < T::channels * patch; i += threads) {
      const int c = i / patch;
      const int row = top + i % patch / T::all_cols - 1;
      const int col = begin + i % T::all_cols - 1;
      const bool inside = first_channel + c < sizes.channels && row >= 0 && row < sizes.rows &&
                          col >= 0 && col < sizes.cols;
      right[c * T::channel_floats + i % patch] =
          inside ? __ldg(image + sizes.begin(n, first_channel + c) + row * sizes.cols + col) : 0.0F;
    }
    __syncthreads();
#pragma unroll 1
    for (int r = 0; r < T::rows; ++r) {
      const float* one = left + filter * T::filter_floats + r * T::cols;
      const float* other = one + T::filters / 2 * T::filter_floats;
      const float* pixels = right + channel * T::channel_floats + r * T::all_cols;
      float window[3][3];
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        window[i][1] = pixels[i * T::all_cols];
        window[i][2] = pixels[i * T::all_cols + 1];
      }
#pragma unroll 8
      for (int w = 0; w < T::cols; ++w) {
#pragma unroll
        for (int i = 0; i < 3; ++i) {
          window[i][0] = window[i][1];
          window[i][1] = window[i][2];
          window[i][2] = pixels[i * T::all_cols + w + 2];
        }
#pragma unroll
        for (int tap = 0; tap < taps; ++tap) {
          sums[0][tap] += one[w] * window[tap / 3][tap % 3];
          sums[1][tap] += other[w] * window[tap / 3][tap % 3];
        }
      }
    }
  }
  if (first_channel + channel >= sizes.channels) return;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int k = first_filter + filter + half * (T::filters / 2);
    if (k >= sizes.channels) continue;
    float* target =
        partials + ((static_cast<std::int64_t>(blockIdx.z) * sizes.channels + k) * sizes.channels +
                    first_channel + channel) *
                       taps;
#pragma unroll
    for (int tap = 0; tap < taps; ++tap) target[tap] = sums[half][tap];
  }
}

__global__ void __launch_bounds__(threads)
    add_weight_gradients(const float* __restrict__ partials, float* __restrict__ d_weights,
                         std::int64_t weights, int parts) {
  for (std::int64_t i = first_index(); i < weights; i += index_stride()) {
    float sum = 0;
    for (int part = 0; part < parts; ++part) sum += partials[part * weights + i];
    d_weights[i] = sum;
  }
}

/// In how many parts the strips are added up: four blocks for each multiprocessor.
inline std::int64_t gradient_parts(const Dims& d) {
  using T = GradientTile;
  const auto parts = [](std::int64_t n, std::int64_t size) { return (n + size - 1) / size; };
  const std::int64_t tiles = parts(d.channels, T::channels) * parts(d.channels, T::filters);
  const std::int64_t strips = d.batch * parts(d.rows, T::rows) * parts(d.cols, T::cols);
  const std::int64_t wanted = parts(std::int64_t{4} * cuda::multiprocessors(), tiles);
  return std::min(strips, wanted);
}

/// `partials` has gradient_parts(d) * d.weights() floats.
inline void launch_weight_gradient(const Tensors& t, float* partials, const Dims& d,
                                   cudaStream_t stream) {
  using T = GradientTile;
  const auto tiles = [&](int size) {
    return static_cast<unsigned>((d.channels + size - 1) / size);
  };
  const auto parts = gradient_parts(d);
  const dim3 grid(tiles(T::channels), tiles(T::filters), static_cast<unsigned>(parts));
  float* target = parts > 1 ? partials : t.d_weights;
  partial_weight_gradient<<<grid, threads, 0, stream>>>(t.d_convolved, t.image, target, Sizes(d));
  cuda::launched("partial_weight_gradient");
  if (parts == 1) return;
  add_weight_gradients<<<blocks_for(d.weights()), threads, 0, stream>>>(
      partials, t.d_weights, d.weights(), static_cast<int>(parts));
  cuda::launched("add_weight_gradients");
}

}  // namespace apod::network
