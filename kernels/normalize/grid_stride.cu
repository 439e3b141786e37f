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

template <class Accumulator>
void sum_on(const Task& task) {
  for (std::int64_t i = 0; i < task.params.integer_or("compute_repeats", 1); ++i) {
    sums::tutorial_sum(
        static_cast<const float*>(task.input), task.chunk.input_bytes / sizeof(float),
        static_cast<Accumulator*>(task.partial), task.scratch, cuda::native(task.stream));
  }
}

template <class Accumulator>
void divide_on(const Task& task) {
  divide_by<<<sums::tutorial_blocks, sums::tutorial_threads, 0, cuda::native(task.stream)>>>(
      static_cast<const float*>(task.input), static_cast<float*>(task.output),
      task.chunk.output_bytes / sizeof(float), static_cast<const Accumulator*>(task.combined));
  cuda::launched("divide_by");
}

struct GridStride : Variant {
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk&) const override {
    return sums::tutorial_sum_scratch<double>();
  }
  void compute(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? sum_on<double>(task) : sum_on<float>(task);
  }
  void finish(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? divide_on<double>(task) : divide_on<float>(task);
  }
};
const VariantRegistrar<GridStride> registrar(
    "normalize", "grid_stride", BackendKind::cuda,
    "partial sums per block, one thread adds them, then divide");

}  // namespace
}  // namespace apod::normalize
