#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/sums/tutorial_sum.hpp"

namespace apod::normalize {
namespace {

template <class Accumulator>
__global__ void divide_by(const float* in, float* out, std::size_t n, const Accumulator* sum) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const auto divisor = static_cast<float>(*sum);
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    out[i] = in[i] / divisor;
  }
}

struct GridStride : Variant {
  std::size_t most_scratch_bytes(const Params&) const override {
    return sums::tutorial_sum_scratch<double>();
  }
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) {
      for (std::int64_t i = 0; i < task.params.integer_or("compute_repeats", 1); ++i) {
        sums::tutorial_sum(static_cast<decltype(zero)*>(task.partial), task);
      }
    });
  }
  void finish(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) {
      divide_by<<<sums::tutorial_blocks, sums::tutorial_threads, 0, cuda::native(task.stream)>>>(
          task.in().data(), task.out().data(), task.out().size(),
          static_cast<const decltype(zero)*>(task.combined));
    });
    cuda::launched("divide_by");
  }
};
const VariantRegistrar<GridStride> registrar(
    "normalize", "grid_stride", BackendKind::cuda,
    "partial sums per block; one thread adds them; then the division");

}  // namespace
}  // namespace apod::normalize
