#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/groupby/problem.hpp"

namespace apod::groupby {
namespace {

template <class T>
void aggregate_on(const Task& task) {
  const auto* rows = static_cast<const Row*>(task.input);
  const auto n = task.chunk.input_bytes / sizeof(Row);
  const auto groups = task.params.integer("groups");
  const auto columns = columns_of<T>(task.partial, groups);
  host::enqueue(
      task.stream,
      [=] {
        const auto cells = aggregate<Cell<T>>(rows, n, static_cast<std::size_t>(groups));
        for (std::size_t g = 0; g < cells.size(); ++g) {
          columns.counts[g] = cells[g].count;
          columns.sums[g] = cells[g].sum;
        }
      },
      "aggregate");
}

template <class T>
void divide_on(const Task& task) {
  const auto groups = task.params.integer("groups");
  const auto range = group_range(groups, task.chunk.index, task.chunk.count);
  const auto* all_counts = static_cast<const Count*>(task.combined);
  const auto* counts = all_counts + range.begin;
  const auto* sums = reinterpret_cast<const T*>(all_counts + groups) + range.begin;
  const auto out = columns_of<T>(task.output, range.size());
  const auto size = range.size();
  host::enqueue(
      task.stream,
      [=] {
        std::copy_n(counts, size, out.counts);
        std::copy_n(sums, size, out.sums);
        T* means = out.sums + size;
        for (std::int64_t i = 0; i < size; ++i) {
          means[i] = counts[i] > 0 ? sums[i] / static_cast<T>(counts[i]) : T{0};
        }
      },
      "divide");
}

struct Host : Variant {
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) { aggregate_on<decltype(zero)>(task); });
  }
  void finish(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) { divide_on<decltype(zero)>(task); });
  }
};
const VariantRegistrar<Host> registrar("groupby", "host", BackendKind::host,
                                       "a table of cells; one thread per stream");

}  // namespace
}  // namespace apod::groupby
