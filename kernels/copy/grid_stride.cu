#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"

namespace apod::copy {
namespace {

// The streams tutorial's launch, as in reduction/grid_stride: fewer threads than values, so each
// thread strides over the array. Most devices can't hold all 1280 blocks; the last ones run alone.
constexpr unsigned blocks = 32 * 40;
constexpr std::int64_t usual_threads = 256;

// Simple on purpose: one value per thread and step, and the compiler may not assume that the arrays
// don't overlap.
__global__ void copy_grid_stride(const float* in, float* out, std::size_t n) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    out[i] = in[i];
  }
}

struct GridStride : Variant {
  std::vector<AxisSpec> axes() const override {
    return {{.name = "block",
             .help = "threads in a block",
             .default_value = usual_threads,
             .max = 1024}};
  }
  void compute(const Task& task) const override {
    const auto threads = static_cast<unsigned>(task.params.integer_or("block", usual_threads));
    copy_grid_stride<<<blocks, threads, 0, cuda::native(task.stream)>>>(
        task.in().data(), task.out().data(), task.out().size());
    cuda::launched("copy_grid_stride");
  }
};
const VariantRegistrar<GridStride> registrar("copy", "grid_stride", BackendKind::cuda,
                                             "one fp32 value per thread and step, 1280 blocks");

}  // namespace
}  // namespace apod::copy
