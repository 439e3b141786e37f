#pragma once

/// \file
/// Device sums that more than one workload launches: seed 1's pair of kernels, and one that needs a
/// single launch. For .cu files only.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/multiprocessors.hpp"

namespace apod::sums {

/// Seed 1's launch: 32 * 40 blocks of 256 threads.
inline constexpr int seed_threads = 256;
inline constexpr int seed_blocks = 32 * 40;

/// One partial sum a block: a grid-stride loop in each thread, then a tree in shared memory.
template <class Accumulator>
__global__ void partial_reduce(const float* array, std::size_t n, Accumulator* partials) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  Accumulator mine = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    mine += array[i];
  }
  __shared__ Accumulator block[seed_threads];
  block[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) block[threadIdx.x] += block[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = block[0];
}

/// Adds the partial sums in one thread, as the seed does. That it wastes the device is the point.
template <class Accumulator>
__global__ void single_thread_sum(const Accumulator* partials, int count, Accumulator* sum) {
  // The running sum stays in memory, as in the seed's `sum[0] += element`.
  *sum = 0;
  for (int i = 0; i < count; ++i) *sum += partials[i];
}

/// Bytes of scratch that `seed_sum` needs.
template <class Accumulator>
constexpr std::size_t seed_sum_scratch() {
  return seed_blocks * sizeof(Accumulator);
}

/// Enqueues both kernels.
template <class Accumulator>
void seed_sum(const float* values, std::size_t n, Accumulator* sum, void* scratch,
              cudaStream_t stream) {
  auto* partials = static_cast<Accumulator*>(scratch);
  partial_reduce<<<seed_blocks, seed_threads, 0, stream>>>(values, n, partials);
  cuda::launched("partial_reduce");
  single_thread_sum<<<1, 1, 0, stream>>>(partials, seed_blocks, sum);
  cuda::launched("single_thread_sum");
}

/// Sum over the block of one value a thread; valid in thread 0. `shared` holds one value a warp.
template <class Accumulator>
__device__ Accumulator block_sum(Accumulator value, Accumulator* shared) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0U, value, offset);
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) shared[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const unsigned warps = blockDim.x / 32;
    value = threadIdx.x < warps ? shared[threadIdx.x] : Accumulator{0};
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0U, value, offset);
  }
  return value;
}

inline constexpr int single_pass_threads = 512;
inline constexpr int single_pass_most_blocks = 2048;

/// Scratch of `single_pass_sum`: a counter of finished blocks, zero between launches, then one
/// partial sum a block.
struct SinglePassScratch {
  unsigned finished;
  alignas(8) double partials[single_pass_most_blocks];  // as float where the accumulator is
};

/// The whole sum in one launch: 16-byte loads, warp shuffles, and the block that finishes last adds
/// the others' partial sums, always in the same order, so that equal inputs give equal bits.
template <class Accumulator>
__global__ void __launch_bounds__(single_pass_threads)
    single_pass_kernel(const float* values, std::size_t n, Accumulator* sum,
                       SinglePassScratch* scratch) {
  __shared__ Accumulator shared[single_pass_threads / 32];
  __shared__ bool last;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto* quads = reinterpret_cast<const float4*>(values);  // chunks begin 256-byte aligned
  const std::size_t quad_count = n / 4;

  // Four loads in flight a thread, each with a strand of its own.
  Accumulator strands[4] = {0, 0, 0, 0};
  std::size_t i = first;
  for (; i + 3 * stride < quad_count; i += 4 * stride) {
    float4 loaded[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) loaded[k] = __ldcs(quads + i + k * stride);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      strands[k] +=
          (static_cast<Accumulator>(loaded[k].x) + static_cast<Accumulator>(loaded[k].y)) +
          (static_cast<Accumulator>(loaded[k].z) + static_cast<Accumulator>(loaded[k].w));
    }
  }
  for (; i < quad_count; i += stride) {
    const float4 loaded = __ldcs(quads + i);
    strands[0] += (static_cast<Accumulator>(loaded.x) + static_cast<Accumulator>(loaded.y)) +
                  (static_cast<Accumulator>(loaded.z) + static_cast<Accumulator>(loaded.w));
  }
  const std::size_t tail = quad_count * 4 + first;
  if (tail < n) strands[0] += values[tail];

  auto* partials = reinterpret_cast<Accumulator*>(scratch->partials);
  const Accumulator mine = block_sum((strands[0] + strands[1]) + (strands[2] + strands[3]), shared);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = mine;
    __threadfence();
    // Wraps to zero with the last block, so that the next launch finds it as this one did.
    last = atomicInc(&scratch->finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  Accumulator total = 0;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
    total += __ldcg(partials + block);
  }
  total = block_sum(total, shared);
  if (threadIdx.x == 0) *sum = total;
}

/// Enqueues the sum. `scratch` must be zero before its first use; it serves launch after launch on
/// one stream, and graphs.
template <class Accumulator>
void single_pass_sum(const float* values, std::size_t n, Accumulator* sum, void* scratch,
                     cudaStream_t stream) {
  auto* state = static_cast<SinglePassScratch*>(scratch);
  // Enough blocks for every multiprocessor of the largest devices, and no more than there is work.
  constexpr std::size_t values_per_block = single_pass_threads * 4 * 4;
  const std::size_t wanted = (n + values_per_block - 1) / values_per_block;
  const std::size_t resident = static_cast<std::size_t>(cuda::multiprocessors()) * 4;
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::size_t>(wanted, 1, std::min<std::size_t>(resident, single_pass_most_blocks)));
  single_pass_kernel<<<blocks, single_pass_threads, 0, stream>>>(values, n, sum, state);
  cuda::launched("single_pass_kernel");
}

}  // namespace apod::sums
