// Habits of one kernel: its grid, its blocks, its accesses, its arithmetic.

#include "tests/habits/carry.hpp"

namespace apod::habits {
namespace {

/// One value a thread, in blocks of so many.
template <class T, unsigned threads>
void launch_all(const Task& task) {
  const Part part(task);
  launch<T>(part, full_grid(part.n, threads), cuda::native(task.stream));
}
const Habit full("full_grid", "one value a thread", launch_all<float, 256>);
const Habit in_double("in_double", "computes in double", launch_all<double, 256>);
const Habit small("small_blocks", "the same blocks without it", launch_all<float, 128>);

const Habit sixteen("sixteen_blocks", "sixteen blocks for all values", [](const Task& task) {
  launch(Part(task), {16, 256}, cuda::native(task.stream));
});
const Habit one("one_thread", "one thread for all", [](const Task& task) {
  launch(Part(task), {1, 1}, cuda::native(task.stream));
});

/// Neighbouring threads are `n / rows` values apart; n is a multiple of `rows`.
__global__ void carry_strided(const float* in, float* out, std::size_t n) {
  constexpr std::size_t rows = 4096;
  const std::size_t t = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t i = t % rows * (n / rows) + t / rows;
  if (t < n) out[i] = in[i];
}
const Habit strided("strided", "neighbouring threads far apart in memory", [](const Task& task) {
  const Part part(task);
  if (part.n == 0) return;
  const auto shape = full_grid(part.n);
  carry_strided<<<shape.blocks, shape.threads, 0, cuda::native(task.stream)>>>(part.in, part.out,
                                                                               part.n);
  cuda::launched("carry_strided");
});

/// Small blocks that ask for shared memory which nobody uses, so that few of them fit.
const Habit shared("shared_memory", "shared memory that leaves room for few blocks",
                   [](const Task& task) {
                     constexpr int shared_bytes = 64 << 10;
                     APOD_CUDA(cudaFuncSetAttribute(
                         carry<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
                     const Part part(task);
                     auto shape = full_grid(part.n, 128);
                     shape.shared_bytes = shared_bytes;
                     launch(part, shape, cuda::native(task.stream));
                   });

/// Blocks for so many tenths of what the device holds at once. All have the same work: each thread
/// the same number of values, as far as they go round.
template <int tenths>
void launch_waves(const Task& task) {
  constexpr unsigned threads = 1024;
  int device = 0;
  int processors = 0;
  int resident = 0;
  APOD_CUDA(cudaGetDevice(&device));
  APOD_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  APOD_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, carry<float>, threads, 0));
  const auto blocks = static_cast<unsigned>(resident * processors * tenths / 10);
  launch(Part(task), {blocks, threads}, cuda::native(task.stream));
}
const Habit tail("waves_1_2", "1.2 waves of blocks", launch_waves<12>);
const Habit waves("waves_2", "two whole waves", launch_waves<20>);

}  // namespace
}  // namespace apod::habits
