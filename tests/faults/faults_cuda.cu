// The faults that only a GPU has.

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "tests/support/function_variant.hpp"

namespace apod::faults {
namespace {

__global__ void copy_values(const float* in, float* out, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// The address comes from data, so that no compiler sees what is wrong with it.
__global__ void write_far_away(const float* in, float* out) {
  out[static_cast<std::size_t>(in[0]) << 44] = 1;
}

__global__ void never_ends(volatile float* out) {
  while (out[0] != 12345.0F) __nanosleep(1000);
}

void copy(const Task& task) {
  const std::size_t n = task.chunk.output_bytes / sizeof(float);
  if (n == 0) return;
  copy_values<<<static_cast<unsigned>((n + 255) / 256), 256, 0, cuda::native(task.stream)>>>(
      static_cast<const float*>(task.input), static_cast<float*>(task.output), n);
  cuda::launched("copy_values");
}

struct CudaFault : test::FunctionRegistrar {
  CudaFault(const char* name, const char* summary, test::Compute compute)
      : FunctionRegistrar("faults", name, BackendKind::cuda, summary,
                          test::FunctionVariant(compute)) {}
};
const CudaFault fine("cuda_fine", "nothing", copy);
const CudaFault illegal("illegal_address", "writes 16 TiB away", [](const Task& task) {
  write_far_away<<<1, 1, 0, cuda::native(task.stream)>>>(static_cast<const float*>(task.input),
                                                         static_cast<float*>(task.output));
  cuda::launched("write_far_away");
});
const CudaFault hang("cuda_hang", "a kernel that never ends", [](const Task& task) {
  never_ends<<<1, 1, 0, cuda::native(task.stream)>>>(static_cast<float*>(task.output));
  cuda::launched("never_ends");
});

struct Memory : Variant {
  void compute(const Task& task) const override { copy(task); }
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk&) const override {
    return std::size_t{1} << 44;
  }
};
const VariantRegistrar<Memory> memory("faults", "cuda_memory", BackendKind::cuda, "wants 16 TiB");

}  // namespace
}  // namespace apod::faults
