#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/sums/single_pass.hpp"

namespace apod::reduction {
namespace {

template <class T>
void sum_on(const Task& task) {
  sums::enqueue_single_pass<sums::Compensated<T>>(
      static_cast<const float*>(task.input), task.chunk.input_bytes / sizeof(float),
      static_cast<T*>(task.output), task.scratch, cuda::native(task.stream));
}

struct CompensatedSum : Variant {
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk&) const override {
    return sums::Slots<sums::Compensated<double>>::bytes;
  }
  void compute(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? sum_on<double>(task) : sum_on<float>(task);
  }
};
const VariantRegistrar<CompensatedSum> registrar("reduction", "compensated", BackendKind::cuda,
                                                 "single_pass with compensated addition (two-sum)");

}  // namespace
}  // namespace apod::reduction
