// The faults that only a GPU has.

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"

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

struct Fine : Variant {
  void compute(const Task& task) const override {
    const std::size_t n = task.chunk.output_bytes / sizeof(float);
    if (n == 0) return;
    copy_values<<<static_cast<unsigned>((n + 255) / 256), 256, 0, cuda::native(task.stream)>>>(
        static_cast<const float*>(task.input), static_cast<float*>(task.output), n);
    cuda::launched("copy_values");
  }
};
struct IllegalAddress : Variant {
  void compute(const Task& task) const override {
    write_far_away<<<1, 1, 0, cuda::native(task.stream)>>>(static_cast<const float*>(task.input),
                                                           static_cast<float*>(task.output));
    cuda::launched("write_far_away");
  }
};
struct Hang : Variant {
  void compute(const Task& task) const override {
    never_ends<<<1, 1, 0, cuda::native(task.stream)>>>(static_cast<float*>(task.output));
    cuda::launched("never_ends");
  }
};
struct Memory : Fine {
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk&) const override {
    return std::size_t{1} << 44;
  }
};

const VariantRegistrar<Fine> fine("faults", "cuda_fine", BackendKind::cuda, "nothing");
const VariantRegistrar<IllegalAddress> address("faults", "illegal_address", BackendKind::cuda,
                                               "writes 16 TiB away");
const VariantRegistrar<Hang> hang("faults", "cuda_hang", BackendKind::cuda,
                                  "a kernel that never ends");
const VariantRegistrar<Memory> memory("faults", "cuda_memory", BackendKind::cuda, "wants 16 TiB");

}  // namespace
}  // namespace apod::faults
