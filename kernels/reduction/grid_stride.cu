#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/sums/tutorial_sum.hpp"

namespace apod::reduction {
namespace {

template <class Accumulator>
void sum_on(const Task& task) {
  sums::tutorial_sum(static_cast<const float*>(task.input), task.chunk.input_bytes / sizeof(float),
                     static_cast<Accumulator*>(task.output), task.scratch,
                     cuda::native(task.stream));
}

struct GridStride : Variant {
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk&) const override {
    return sums::tutorial_sum_scratch<double>();
  }
  void compute(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? sum_on<double>(task) : sum_on<float>(task);
  }
};
const VariantRegistrar<GridStride> registrar("reduction", "grid_stride", BackendKind::cuda,
                                             "partial sums per block, then one thread adds them");

}  // namespace
}  // namespace apod::reduction
