// Habits of the host: what it calls between its launches.

#include <chrono>
#include <thread>

#include "kernels/api/registry.hpp"
#include "tests/habits/carry.hpp"

namespace apod::habits {
namespace {

/// A variant whose compute waits for the device.
struct Waiting : Variant {
  bool waits(const Params&) const override { return true; }
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

constexpr auto cuda_kind = BackendKind::cuda;
const VariantRegistrar<Allocating> allocating("habits", "allocating", cuda_kind,
                                              "cudaMalloc and cudaFree in each execution");
const VariantRegistrar<Preallocated> preallocated("habits", "preallocated", cuda_kind,
                                                  "the same without them");
const VariantRegistrar<Sleeping> sleeping("habits", "sleeping", cuda_kind,
                                          "sleeps between two launches");

}  // namespace
}  // namespace apod::habits
