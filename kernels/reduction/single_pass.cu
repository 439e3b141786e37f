#include "kernels/api/registry.hpp"
#include "kernels/sums/single_pass.hpp"

namespace apod::reduction {
namespace {

struct SinglePass : Variant {
  std::size_t most_scratch_bytes(const Params&) const override {
    return sums::Slots<sums::Plain<double>>::bytes;
  }
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) {
      using T = decltype(zero);
      sums::enqueue_single_pass<sums::Plain<T>>(task.out<T>().data(), task);
    });
  }
};
const VariantRegistrar<SinglePass> registrar(
    "reduction", "single_pass", BackendKind::cuda,
    "one launch at the speed of memory; the last block adds all partial sums");

}  // namespace
}  // namespace apod::reduction
