#include "kernels/api/registry.hpp"
#include "kernels/groupby/aggregate.hpp"
#include "kernels/groupby/index.hpp"
#include "kernels/groupby/passes.hpp"

namespace apod::groupby {
namespace {

template <class T>
void aggregate_on(const Task& task) {
  const auto [counts, sums] = partial_of<T>(task);
  clear_partial(task);
  enqueue_aggregate<T, Kept::both>(rows_of(task), count_of(task),
                                   static_cast<unsigned>(groups_of(task)), Dense{}, {counts, sums},
                                   cuda::native(task.stream));
}

struct OnePass : TwoPasses {
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) { aggregate_on<decltype(zero)>(task); });
  }
};
const VariantRegistrar<OnePass> registrar("groupby", "one_pass", BackendKind::cuda,
                                          "counts and sums in one pass, first in shared memory");

}  // namespace
}  // namespace apod::groupby
