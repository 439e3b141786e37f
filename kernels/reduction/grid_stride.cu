#include "kernels/api/registry.hpp"
#include "kernels/sums/tutorial_sum.hpp"

namespace apod::reduction {
namespace {

struct GridStride : Variant {
  std::size_t most_scratch_bytes(const Params&) const override {
    return sums::tutorial_sum_scratch<double>();
  }
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) {
      sums::tutorial_sum(task.out<decltype(zero)>().data(), task);
    });
  }
};
const VariantRegistrar<GridStride> registrar("reduction", "grid_stride", BackendKind::cuda,
                                             "partial sums per block, then one thread adds them");

}  // namespace
}  // namespace apod::reduction
