// Habits of the host: what it calls between its launches.

#include <chrono>
#include <thread>

#include "kernels/api/registry.hpp"
#include "tests/habits/carry.hpp"

namespace apod::habits {
namespace {

/// A variant whose compute waits for the device.
struct Waiting : Variant {
  bool waits() const override { return true; }
};

/// Carries the values on over device memory that it allocates and frees each time.
struct Allocating : Waiting {
  void compute(const Task& task) const override {
    const Part whole(task);
    if (whole.n == 0) return;
    void* memory = nullptr;
    APOD_CUDA(cudaMalloc(&memory, task.chunk.input_bytes));
    Part there = whole;
    there.out = static_cast<float*>(memory);
    Part back = whole;
    back.in = there.out;
    launch(there, full_grid(whole.n), cuda::native(task.stream));
    launch(back, full_grid(whole.n), cuda::native(task.stream));
    APOD_CUDA(cudaStreamSynchronize(cuda::native(task.stream)));
    APOD_CUDA(cudaFree(memory));
  }
};

/// The same over memory that was there before.
struct Preallocated : Variant {
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk& chunk) const override {
    return chunk.input_bytes;
  }
  void compute(const Task& task) const override {
    Part there(task);
    there.out = static_cast<float*>(task.scratch);
    Part back(task);
    back.in = there.out;
    launch(there, full_grid(there.n), cuda::native(task.stream));
    launch(back, full_grid(back.n), cuda::native(task.stream));
  }
};

/// Something that the host does between two launches, and lets the device wait for.
struct Sleeping : Waiting {
  void compute(const Task& task) const override {
    const Part part(task);
    launch(part, full_grid(part.n), cuda::native(task.stream));
    APOD_CUDA(cudaStreamSynchronize(cuda::native(task.stream)));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    launch(part, full_grid(part.n), cuda::native(task.stream));
  }
};

/// The kernels of a program are loaded one by one, when they are launched for the first time.
constexpr int new_kernels = 16;
template <int number>
__global__ void carry_first(const float* in, float* out, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  // The number keeps the kernels from being one and the same.
  if (i < n) out[i] = in[i] == static_cast<float>(-1 - number) ? 0 : in[i];
}

template <int first, int... numbers>
void launch_each(const Part& part, cudaStream_t stream, std::integer_sequence<int, numbers...>) {
  const auto shape = full_grid(part.n);
  (carry_first<first + numbers>
   <<<shape.blocks, shape.threads, 0, stream>>>(part.in, part.out, part.n),
   ...);
  cuda::launched("carry_first");
}

/// Launches kernels that were never launched in the first two executions of a process, of which one
/// is checked and one traced.
struct FirstLaunches : Variant {
  void compute(const Task& task) const override {
    static int executions = 0;
    const auto numbers = std::make_integer_sequence<int, new_kernels>{};
    const Part part(task);
    const auto stream = cuda::native(task.stream);
    executions++ % 2 == 0 ? launch_each<0>(part, stream, numbers)
                          : launch_each<new_kernels>(part, stream, numbers);
  }
};

/// As many launches of one kernel, which the check has loaded.
struct LaterLaunches : Variant {
  void compute(const Task& task) const override {
    const Part part(task);
    for (int i = 0; i < new_kernels; ++i) {
      launch(part, full_grid(part.n), cuda::native(task.stream));
    }
  }
};

constexpr auto cuda_kind = BackendKind::cuda;
const VariantRegistrar<Allocating> allocating("habits", "allocating", cuda_kind,
                                              "cudaMalloc and cudaFree in each execution");
const VariantRegistrar<Preallocated> preallocated("habits", "preallocated", cuda_kind,
                                                  "the same without them");
const VariantRegistrar<Sleeping> sleeping("habits", "sleeping", cuda_kind,
                                          "sleeps between two launches");
const VariantRegistrar<FirstLaunches> first("habits", "first_launches", cuda_kind,
                                            "kernels that were never launched before");
const VariantRegistrar<LaterLaunches> later("habits", "later_launches", cuda_kind,
                                            "as many launches of a kernel that was");

}  // namespace
}  // namespace apod::habits
