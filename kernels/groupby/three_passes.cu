#include "kernels/api/registry.hpp"
#include "kernels/groupby/aggregate.hpp"
#include "kernels/groupby/index.hpp"
#include "kernels/groupby/passes.hpp"

namespace apod::groupby {
namespace {

/// One aggregation, which starts from nothing.
template <class T, Kept kept>
void pass(const Task& task) {
  const auto stream = cuda::native(task.stream);
  const auto groups = static_cast<std::size_t>(groups_of(task));
  const auto [counts, sums] = partial_of<T>(task);
  const DeviceTable<T, kept> table{counts, sums};
  if (table.with_counts) APOD_CUDA(cudaMemsetAsync(counts, 0, groups * sizeof(Count), stream));
  if (table.with_sums) APOD_CUDA(cudaMemsetAsync(sums, 0, groups * sizeof(T), stream));
  enqueue_aggregate<T, kept>(rows_of(task), count_of(task), static_cast<unsigned>(groups), Dense{},
                             table, stream);
}

/// The mean, the count and the sum ask for a pass each, as three calls of a library do. The mean
/// needs both of the others, which are then computed once more.
template <class T>
void aggregate_on(const Task& task) {
  pass<T, Kept::both>(task);
  pass<T, Kept::counts>(task);
  pass<T, Kept::sums>(task);
}

struct ThreePasses : TwoPasses {
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) { aggregate_on<decltype(zero)>(task); });
  }
};
const VariantRegistrar<ThreePasses> registrar("groupby", "three_passes", BackendKind::cuda,
                                              "one pass over the rows for each aggregate");

}  // namespace
}  // namespace apod::groupby
