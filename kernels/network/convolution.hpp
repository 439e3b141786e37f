#pragma once

/// \file
/// The convolution and the gradient of its image, on ordinary cores. For .cu files only.

#include "kernels/network/device.hpp"

namespace apod::network {

/// A block makes 8 planes of a tile of 32x16 pixels; each of its 32x8 threads two pixels of all
/// planes, one below the other. For each channel a thread reads 12 pixels and 18 quads of weights
/// from shared memory, and does 144 multiply-adds.
struct ConvolutionTile {
  static constexpr int cols = 32;
  static constexpr int rows = 16;
  static constexpr int planes = 8;
  static constexpr int channels = 4;  ///< loaded at a time
  static constexpr int all_cols = cols + 2;
  static constexpr int all_rows = rows + 2;
};

enum class Weights {
  as_they_are,  ///< filter o, channel i: the convolution
  turned,       ///< filter i, channel o, turned by 180 degrees: the gradient of its image
};

/// out(n, o, h, w) = sum over i, j, k of weight(o, i, j, k) * in(n, i, h + j - 1, w + k - 1). The
/// grid is tiles, groups of planes, images.
template <Weights order>
__global__ void __launch_bounds__(threads)
    convolve(const float* __restrict__ in, const float* __restrict__ weights,
             float* __restrict__ out, Sizes sizes) {
  using T = ConvolutionTile;
  __shared__ float pixels[T::channels][T::all_rows][T::all_cols];
  __shared__ Pack<4> tile_weights[T::channels][taps][T::planes / 4];
  const int across = (sizes.cols + T::cols - 1) / T::cols;
  const int left = static_cast<int>(blockIdx.x) % across * T::cols;
  const int top = static_cast<int>(blockIdx.x) / across * T::rows;
  const int plane = static_cast<int>(blockIdx.y) * T::planes;
  const int thread = static_cast<int>(threadIdx.x);
  const int x = thread % T::cols;
  const int y = thread / T::cols * 2;

  for (int n = static_cast<int>(blockIdx.z); n < sizes.batch; n += static_cast<int>(gridDim.z)) {
    float sums[2][T::planes] = {};
    for (int first = 0; first < sizes.channels; first += T::channels) {
      __syncthreads();  // whoever still reads the last channels
      for (int i = thread; i < T::channels * T::all_rows * T::all_cols; i += threads) {
        const int channel = i / (T::all_rows * T::all_cols);
        const int r = i / T::all_cols % T::all_rows;
        const int c = i % T::all_cols;
        const int row = top + r - 1;
        const int col = left + c - 1;
        const bool inside = first + channel < sizes.channels && row >= 0 && row < sizes.rows &&
                            col >= 0 && col < sizes.cols;
        pixels[channel][r][c] =
            inside ? __ldg(in + sizes.begin(n, first + channel) + row * sizes.cols + col) : 0.0F;
      }
      for (int i = thread; i < T::channels * taps * T::planes; i += threads) {
        const int o = i % T::planes;
        const int tap = i / T::planes % static_cast<int>(taps);
        const int channel = i / T::planes / static_cast<int>(taps);
        float weight = 0;
        if (plane + o < sizes.channels && first + channel < sizes.channels) {
          const bool turned = order == Weights::turned;
          const std::int64_t filter = turned ? first + channel : plane + o;
          const std::int64_t of_filter = turned ? plane + o : first + channel;
          weight = __ldg(weights + (filter * sizes.channels + of_filter) * taps +
                         (turned ? taps - 1 - tap : tap));
        }
        tile_weights[channel][tap][o / 4].at[o % 4] = weight;
      }
      __syncthreads();
#pragma unroll 1
      for (int channel = 0; channel < T::channels; ++channel) {
        float window[4][3];
#pragma unroll
        for (int r = 0; r < 4; ++r) {
#pragma unroll
          for (int c = 0; c < 3; ++c) window[r][c] = pixels[channel][y + r][x + c];
        }
#pragma unroll
        for (int tap = 0; tap < taps; ++tap) {
#pragma unroll
          for (int group = 0; group < T::planes / 4; ++group) {
            const Pack<4> four = tile_weights[channel][tap][group];
#pragma unroll
            for (int o = 0; o < 4; ++o) {
              sums[0][group * 4 + o] += four.at[o] * window[tap / 3][tap % 3];
              sums[1][group * 4 + o] += four.at[o] * window[tap / 3 + 1][tap % 3];
            }
          }
        }
      }
    }
    if (left + x >= sizes.cols) continue;
#pragma unroll
    for (int o = 0; o < T::planes; ++o) {
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (plane + o >= sizes.channels || top + y + r >= sizes.rows) continue;
        out[sizes.begin(n, plane + o) + (top + y + r) * sizes.cols + left + x] = sums[r][o];
      }
    }
  }
}

template <Weights order>
void launch_convolution(const float* in, const float* weights, float* out, const Dims& d,
                        cudaStream_t stream) {
  using T = ConvolutionTile;
  const auto parts = [](std::int64_t n, std::int64_t size) {
    return static_cast<unsigned>((n + size - 1) / size);
  };
  constexpr std::int64_t most_z = 65535;
  const dim3 grid(parts(d.cols, T::cols) * parts(d.rows, T::rows), parts(d.channels, T::planes),
                  static_cast<unsigned>(std::min(d.batch, most_z)));
  convolve<order><<<grid, threads, 0, stream>>>(in, weights, out, Sizes(d));
  cuda::launched("convolve");
}

}  // namespace apod::network
