#pragma once

/// \file
/// The sum of an array in two kernels, as in the streams tutorial. For .cu files only.

#include <cstddef>

#include "kernels/api/workload.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"

namespace apod::sums {

/// The tutorial's launch: 32 * 40 blocks of 256 threads.
inline constexpr int tutorial_threads = 256;
inline constexpr int tutorial_blocks = 32 * 40;

/// One partial sum per block: a grid-stride loop in each thread, then a tree in shared memory.
template <class Accumulator>
__global__ void partial_reduce(const float* array, std::size_t n, Accumulator* partials) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  Accumulator mine = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    mine += array[i];
  }
  __shared__ Accumulator block[tutorial_threads];
  block[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) block[threadIdx.x] += block[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = block[0];
}

/// Adds the partial sums in one thread, as the tutorial does. Wasting the device is the point.
template <class Accumulator>
__global__ void single_thread_sum(const Accumulator* partials, int count, Accumulator* sum) {
  // The running sum stays in memory, as in the tutorial's `sum[0] += element`.
  *sum = 0;
  for (int i = 0; i < count; ++i) *sum += partials[i];
}

/// Bytes of scratch that `tutorial_sum` needs.
template <class Accumulator>
constexpr std::size_t tutorial_sum_scratch() {
  return tutorial_blocks * sizeof(Accumulator);
}

/// Enqueues both kernels.
template <class Accumulator>
void tutorial_sum(Accumulator* sum, const Task& task) {
  const auto values = task.in();
  auto* partials = static_cast<Accumulator*>(task.scratch);
  const auto stream = cuda::native(task.stream);
  partial_reduce<<<tutorial_blocks, tutorial_threads, 0, stream>>>(values.data(), values.size(),
                                                                   partials);
  cuda::launched("partial_reduce");
  single_thread_sum<<<1, 1, 0, stream>>>(partials, tutorial_blocks, sum);
  cuda::launched("single_thread_sum");
}

}  // namespace apod::sums
