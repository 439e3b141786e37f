#include "kernels/api/registry.hpp"
#include "kernels/sums/single_pass.hpp"

namespace apod::reduction {
namespace {

struct CompensatedSum : Variant {
  std::size_t most_scratch_bytes(const Params&) const override {
    return sums::Slots<sums::Compensated<double>>::bytes;
  }
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) {
      using T = decltype(zero);
      sums::enqueue_single_pass<sums::Compensated<T>>(task.out<T>().data(), task);
    });
  }
};
const VariantRegistrar<CompensatedSum> registrar("reduction", "compensated", BackendKind::cuda,
                                                 "single_pass with compensated addition (two-sum)");

}  // namespace
}  // namespace apod::reduction
