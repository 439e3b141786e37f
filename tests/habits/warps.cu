// Habits of the threads of a warp and of a block towards each other.

#include "tests/habits/carry.hpp"

namespace apod::habits {
namespace {

constexpr unsigned warp = 32;

/// A thread of a full grid, and its value.
struct Mine {
  std::size_t i;
  bool is_there;
  float value;
};
__device__ Mine mine_of(const float* in, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  return {i, i < n, i < n ? in[i] : 0};
}

/// Eight ways of the same length, of which every thread takes one.
__global__ void carry_divergent(const float* in, float* out, std::size_t n, int depth, float a,
                                float b) {
  auto mine = mine_of(in, n);
#pragma unroll 1
  for (unsigned way = 0; way < 8; ++way) {
    if (threadIdx.x % 8 == way) mine.value = worked(mine.value, depth, a, b);
  }
  if (mine.is_there) out[mine.i] = mine.value;
}

/// To shared memory and back, the threads of a warp a row of the tile apart.
template <unsigned padding>
__global__ void carry_through_tile(const float* in, float* out, std::size_t n, int depth, float,
                                   float) {
  __shared__ volatile float tile[warp][warp + padding];
  auto mine = mine_of(in, n);
  auto& place = tile[threadIdx.x % warp][threadIdx.x / warp];
  for (int step = 0; step < depth; ++step) {
    place = mine.value;
    mine.value = place;
  }
  if (mine.is_there) out[mine.i] = mine.value;
}

/// A barrier after each step.
__global__ void carry_together(const float* in, float* out, std::size_t n, int depth, float a,
                               float b) {
  auto mine = mine_of(in, n);
  for (int step = 0; step < depth; ++step) {
    mine.value = mine.value * a + b;
    __syncthreads();
  }
  if (mine.is_there) out[mine.i] = mine.value;
}

template <auto* kernel, unsigned threads>
void launch_full(const Task& task) {
  const Part part(task);
  if (part.n == 0) return;
  const auto shape = full_grid(part.n, threads);
  kernel<<<shape.blocks, shape.threads, 0, cuda::native(task.stream)>>>(part.in, part.out, part.n,
                                                                        part.depth, 1, 0);
  cuda::launched("carry");
}
constexpr unsigned most_threads = 1024;
const Habit divergent("divergent", "the threads of a warp go eight ways",
                      launch_full<carry_divergent, 256>);
const Habit conflicting("conflicting", "the threads of a warp use one bank of shared memory",
                        launch_full<carry_through_tile<0>, most_threads>);
const Habit padded("padded", "the same in rows of another length",
                   launch_full<carry_through_tile<1>, most_threads>);
const Habit together("together", "a barrier after each step",
                     launch_full<carry_together, most_threads>);

/// Which value a thread takes is told by one counter for all.
__global__ void carry_by_ticket(const float* in, float* out, std::size_t n, unsigned* taken) {
  const auto i = atomicAdd(taken, 1U);
  if (i < n) out[i] = in[i];
}
void take_tickets(const Task& task) {
  const Part part(task);
  if (part.n == 0) return;
  const auto stream = cuda::native(task.stream);
  auto* const taken = static_cast<unsigned*>(task.scratch);
  APOD_CUDA(cudaMemsetAsync(taken, 0, sizeof(unsigned), stream));
  const auto shape = full_grid(part.n);
  carry_by_ticket<<<shape.blocks, shape.threads, 0, stream>>>(part.in, part.out, part.n, taken);
  cuda::launched("carry_by_ticket");
}
const Habit tickets("tickets", "one counter tells every thread what to do",
                    test::FunctionVariant(take_tickets, false, true));

}  // namespace
}  // namespace apod::habits
