// Habits of the host: what it calls between its launches.

#include <chrono>
#include <thread>

#include "tests/habits/carry.hpp"

namespace apod::habits {
namespace {

/// Carries the values to other memory on the device, and from there to the output.
void carry_over(const Task& task, void* memory) {
  Part there(task);
  there.out = static_cast<float*>(memory);
  Part back(task);
  back.in = there.out;
  launch(there, full_grid(there.n), cuda::native(task.stream));
  launch(back, full_grid(back.n), cuda::native(task.stream));
}

const Habit allocating("allocating", "cudaMalloc and cudaFree in each execution",
                       waiting([](const Task& task) {
                         const Part whole(task);
                         if (whole.n == 0) return;
                         void* memory = nullptr;
                         APOD_CUDA(cudaMalloc(&memory, task.chunk.input_bytes));
                         carry_over(task, memory);
                         APOD_CUDA(cudaStreamSynchronize(cuda::native(task.stream)));
                         APOD_CUDA(cudaFree(memory));
                       }));

void carry_over_scratch(const Task& task) {
  carry_over(task, task.scratch);
}
const Habit preallocated("preallocated", "the same without them",
                         test::FunctionVariant(carry_over_scratch, false, true));

/// Something that the host does between two launches, and lets the device wait for.
const Habit sleeping("sleeping", "sleeps between two launches", waiting([](const Task& task) {
                       const Part part(task);
                       launch(part, full_grid(part.n), cuda::native(task.stream));
                       APOD_CUDA(cudaStreamSynchronize(cuda::native(task.stream)));
                       std::this_thread::sleep_for(std::chrono::milliseconds(1));
                       launch(part, full_grid(part.n), cuda::native(task.stream));
                     }));

}  // namespace
}  // namespace apod::habits
