#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "tests/faults/slowed.hpp"

namespace apod::faults {
namespace {

/// Each step waits for the one before, as dependent arithmetic does; the compiler can't shorten it.
__global__ void count(long long steps, long long* out) {
  long long taken = 0;
  while (taken < steps) asm volatile("add.s64 %0, %0, 1;" : "+l"(taken));
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = taken;
}

struct CudaSpin : Variant {
  void compute(const Task& task) const override {
    count<<<132, 128, 0, cuda::native(task.stream)>>>(spin_steps(task.params),
                                                      static_cast<long long*>(task.output));
    cuda::launched("count");
  }
};
const VariantRegistrar<CudaSpin> spin("slowed", "spin", BackendKind::cuda, "counts");

}  // namespace
}  // namespace apod::faults
