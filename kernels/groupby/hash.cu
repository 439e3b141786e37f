#include <bit>

#include "kernels/api/registry.hpp"
#include "kernels/groupby/aggregate.hpp"
#include "kernels/groupby/index.hpp"
#include "kernels/groupby/passes.hpp"

namespace apod::groupby {
namespace {

/// At least half of the slots stay free, so that chains are short.
unsigned slots_for(std::int64_t groups) {
  return std::bit_ceil(static_cast<unsigned>(2 * groups));
}

/// The device's table in scratch memory: counts, sums, keys.
template <class T>
struct Layout {
  explicit Layout(std::int64_t groups) : slots(slots_for(groups)) {}
  std::size_t bytes() const { return slots * (sizeof(Count) + sizeof(T) + sizeof(int)); }
  DeviceTable<T, Kept::both> table(void* scratch) const {
    auto* counts = static_cast<Count*>(scratch);
    return {counts, reinterpret_cast<T*>(counts + slots)};
  }
  Hash index(void* scratch) const {
    return {reinterpret_cast<int*>(table(scratch).sums + slots), 32 - std::countr_zero(slots)};
  }

  unsigned slots;
};

/// Where the groups are found by key: into the arrays of the result.
template <class T>
__global__ void compact(Hash index, unsigned slots, DeviceTable<T, Kept::both> table,
                        Columns<T> out) {
  const unsigned slot = blockIdx.x * blockDim.x + threadIdx.x;
  if (slot >= slots) return;
  const int key = index.key_of(slot);
  if (key == Hash::none) return;
  out.counts[key] = table.counts[slot];
  out.sums[key] = table.sums[slot];
}

template <class T>
void aggregate_on(const Task& task) {
  const auto stream = cuda::native(task.stream);
  const Layout<T> layout(groups_of(task));
  const auto table = layout.table(task.scratch);
  const auto index = layout.index(task.scratch);
  APOD_CUDA(cudaMemsetAsync(task.scratch, 0, layout.bytes(), stream));
  clear_partial(task);
  enqueue_aggregate<T, Kept::both>(rows_of(task), count_of(task), layout.slots, index, table,
                                   stream);
  constexpr unsigned block = 256;
  compact<T><<<(layout.slots + block - 1) / block, block, 0, stream>>>(index, layout.slots, table,
                                                                       partial_of<T>(task));
  cuda::launched("compact");
}

struct HashTable : TwoPasses {
  std::size_t most_scratch_bytes(const Params& params) const override {
    return Layout<double>(params.integer("groups")).bytes();
  }
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) { aggregate_on<decltype(zero)>(task); });
  }
};
const VariantRegistrar<HashTable> registrar(
    "groupby", "hash", BackendKind::cuda,
    "hash table with open addressing, first in shared memory");

}  // namespace
}  // namespace apod::groupby
