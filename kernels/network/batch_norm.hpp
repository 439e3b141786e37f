#pragma once

/// \file
/// Batch norm in training, and its gradients. For .cu files only.

#include "kernels/network/device.hpp"

namespace apod::network {

/// Two sums over a channel, kept together.
struct TwoSums {
  __device__ TwoSums& operator+=(const TwoSums& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
  float first = 0;
  float second = 0;
};

/// Of a warp; whole in its first lane.
__device__ inline TwoSums warp_sums(TwoSums sums) {
  for (int distance = 16; distance > 0; distance /= 2) {
    sums += {__shfl_down_sync(0xffffffffU, sums.first, distance),
             __shfl_down_sync(0xffffffffU, sums.second, distance)};
  }
  return sums;
}

/// Deviations from a value of each channel, and their squares. First from 0, which gives the mean;
/// then from that, so that the mean of squares less the square of the mean loses nothing.
struct Deviations {
  const float* from;  ///< one value a channel; null: 0
  __device__ static float pivot(const float* from, int k) { return from == nullptr ? 0 : from[k]; }
  struct OfChannel {
    float pivot;
    template <int width>
    __device__ void add(TwoSums& sums, const Pack<width>& c, const Pack<width>&) const {
#pragma unroll
      for (int i = 0; i < width; ++i) {
        const float deviation = c.at[i] - pivot;
        sums += {deviation, deviation * deviation};
      }
    }
  };
  __device__ OfChannel of(const Sizes&, int k) const {
    return {pivot(from, k)};
  }
  static constexpr bool reads_gradient = false;
};

/// The gradient of batch norm's result, and its products with the deviations from the mean.
struct Gradients {
  const float* mean;
  struct OfChannel {
    float mean;
    template <int width>
    __device__ void add(TwoSums& sums, const Pack<width>& c, const Pack<width>& g) const {
#pragma unroll
      for (int i = 0; i < width; ++i) sums += {g.at[i], g.at[i] * (c.at[i] - mean)};
    }
  };
  __device__ OfChannel of(const Sizes&, int k) const {
    return {mean[k]};
  }
  static constexpr bool reads_gradient = true;
};

/// Leaves gridDim.x pairs of sums for each channel, which is blockIdx.y.
template <int width, class Terms>
__global__ void __launch_bounds__(threads)
    channel_sums(const float* __restrict__ convolved, const float* __restrict__ gradient,
                 TwoSums* __restrict__ partials, Sizes sizes, Terms terms) {
  const int k = static_cast<int>(blockIdx.y);
  const auto of_channel = terms.of(sizes, k);
  const auto packs = static_cast<unsigned>(sizes.plane() / width);
  const auto all = packs * static_cast<unsigned>(sizes.batch);
  TwoSums sums;
  for (unsigned i = blockIdx.x * threads + threadIdx.x; i < all; i += gridDim.x * threads) {
    const auto at = sizes.begin(static_cast<int>(i / packs), k) + i % packs * width;
    Pack<width> g{};
    if constexpr (Terms::reads_gradient) g = *reinterpret_cast<const Pack<width>*>(gradient + at);
    of_channel.add(sums, *reinterpret_cast<const Pack<width>*>(convolved + at), g);
  }
  __shared__ TwoSums of_warps[threads / 32];
  sums = warp_sums(sums);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sums;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < threads / 32; ++warp) sums += of_warps[warp];
  partials[static_cast<std::int64_t>(k) * gridDim.x + blockIdx.x] = sums;
}

/// One warp a channel: mean and 1 / sqrt(variance + epsilon), of sums of deviations from `from`,
/// which may be `mean`.
__global__ void finish_statistics(const float* from, const TwoSums* partials, int parts,
                                  Sizes sizes, float* mean, float* inv_std) {
  const int k = static_cast<int>(blockIdx.x);
  TwoSums sums;
  for (int i = static_cast<int>(threadIdx.x); i < parts; i += 32) sums += partials[k * parts + i];
  sums = warp_sums(sums);
  if (threadIdx.x != 0) return;
  const auto count = static_cast<float>(sizes.batch * sizes.plane());
  const float shift = sums.first / count;
  const float variance = fmaxf(sums.second / count - shift * shift, 0.0F);
  mean[k] = Deviations::pivot(from, k) + shift;
  inv_std[k] = 1 / sqrtf(variance + epsilon);
}

/// One warp a channel: the gradients of scale and bias.
__global__ void finish_gradients(const TwoSums* partials, int parts, const float* inv_std,
                                 float* d_scale, float* d_bias) {
  const int k = static_cast<int>(blockIdx.x);
  TwoSums sums;
  for (int i = static_cast<int>(threadIdx.x); i < parts; i += 32) sums += partials[k * parts + i];
  sums = warp_sums(sums);
  if (threadIdx.x != 0) return;
  d_bias[k] = sums.first;
  d_scale[k] = sums.second * inv_std[k];
}

template <int width>
__global__ void __launch_bounds__(threads)
    normalize(const float* __restrict__ convolved, const float* mean, const float* inv_std,
              const float* scale, const float* bias, float* __restrict__ normed, Sizes sizes) {
  const int packs = sizes.plane() / width;
  const auto all = static_cast<std::int64_t>(sizes.batch) * sizes.channels * packs;
  for (std::int64_t i = first_index(); i < all; i += index_stride()) {
    const int k = static_cast<int>(i / packs % sizes.channels);
    const float factor = scale[k] * inv_std[k];
    auto values = reinterpret_cast<const Pack<width>*>(convolved)[i];
#pragma unroll
    for (int lane = 0; lane < width; ++lane) {
      values.at[lane] = factor * (values.at[lane] - mean[k]) + bias[k];
    }
    reinterpret_cast<Pack<width>*>(normed)[i] = values;
  }
}

template <int width>
__global__ void __launch_bounds__(threads)
    normalize_gradient(const float* __restrict__ convolved, const float* __restrict__ d_normed,
                       const float* mean, const float* inv_std, const float* scale,
                       const float* d_scale, const float* d_bias, float* __restrict__ d_convolved,
                       Sizes sizes) {
  const int packs = sizes.plane() / width;
  const auto all = static_cast<std::int64_t>(sizes.batch) * sizes.channels * packs;
  const auto count = static_cast<float>(sizes.batch * sizes.plane());
  for (std::int64_t i = first_index(); i < all; i += index_stride()) {
    const int k = static_cast<int>(i / packs % sizes.channels);
    const float factor = scale[k] * inv_std[k];
    const float from_bias = d_bias[k] / count;
    const float from_scale = d_scale[k] / count * inv_std[k];
    const auto c = reinterpret_cast<const Pack<width>*>(convolved)[i];
    auto values = reinterpret_cast<const Pack<width>*>(d_normed)[i];
#pragma unroll
    for (int lane = 0; lane < width; ++lane) {
      values.at[lane] =
          factor * (values.at[lane] - from_bias - (c.at[lane] - mean[k]) * from_scale);
    }
    reinterpret_cast<Pack<width>*>(d_convolved)[i] = values;
  }
}

/// Blocks that share a channel: eight for each multiprocessor over all channels, no more than there
/// is work for.
inline int channel_parts(const Dims& d) {
  const auto parts = [](std::int64_t n, std::int64_t size) { return (n + size - 1) / size; };
  const std::int64_t wanted = parts(std::int64_t{8} * cuda::multiprocessors(), d.channels);
  return static_cast<int>(std::min(wanted, parts(d.per_channel(), 4 * threads)));
}

/// `partials` has channel_parts(d) * d.channels entries.
template <int width>
void launch_batch_norm(const Tensors& t, float* normed, TwoSums* partials, const Dims& d,
                       cudaStream_t stream) {
  const auto channels = static_cast<unsigned>(d.channels);
  const int parts = channel_parts(d);
  const Sizes sizes(d);
  const dim3 grid(static_cast<unsigned>(parts), channels);
  for (const float* from :
       {static_cast<const float*>(nullptr), static_cast<const float*>(t.mean)}) {
    channel_sums<width>
        <<<grid, threads, 0, stream>>>(t.convolved, nullptr, partials, sizes, Deviations{from});
    cuda::launched("channel_sums");
    finish_statistics<<<channels, 32, 0, stream>>>(from, partials, parts, sizes, t.mean, t.inv_std);
    cuda::launched("finish_statistics");
  }
  normalize<width><<<blocks_for(d.values() / width), threads, 0, stream>>>(
      t.convolved, t.mean, t.inv_std, t.scale, t.bias, normed, sizes);
  cuda::launched("normalize");
}

template <int width>
void launch_batch_norm_gradient(const Tensors& t, TwoSums* partials, const Dims& d,
                                cudaStream_t stream) {
  const auto channels = static_cast<unsigned>(d.channels);
  const int parts = channel_parts(d);
  const Sizes sizes(d);
  const dim3 grid(static_cast<unsigned>(parts), channels);
  channel_sums<width>
      <<<grid, threads, 0, stream>>>(t.convolved, t.d_normed, partials, sizes, Gradients{t.mean});
  cuda::launched("channel_sums");
  finish_gradients<<<channels, 32, 0, stream>>>(partials, parts, t.inv_std, t.d_scale, t.d_bias);
  cuda::launched("finish_gradients");
  normalize_gradient<width><<<blocks_for(d.values() / width), threads, 0, stream>>>(
      t.convolved, t.d_normed, t.mean, t.inv_std, t.scale, t.d_scale, t.d_bias, t.d_convolved,
      sizes);
  cuda::launched("normalize_gradient");
}

}  // namespace apod::network
