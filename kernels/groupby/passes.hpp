#pragma once

/// \file
/// What all variants on CUDA begin and end with. For .cu files only.

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/groupby/problem.hpp"

namespace apod::groupby {

inline const Row* rows_of(const Task& task) {
  return static_cast<const Row*>(task.input);
}
inline std::size_t count_of(const Task& task) {
  return task.chunk.input_bytes / sizeof(Row);
}
inline std::int64_t groups_of(const Task& task) {
  return task.params.integer("groups");
}
/// Rows of the longest chunk. Chunks begin at multiples of 64 rows.
inline std::size_t most_rows_of_chunk(const Params& params) {
  const auto streams = params.integer_or("streams", 1);
  return static_cast<std::size_t>(params.integer("size") / streams + 64);
}
template <class T>
Columns<T> partial_of(const Task& task) {
  return columns_of<T>(task.partial, groups_of(task));
}

/// Enqueues the writing of zeros over the partial value.
inline void clear_partial(const Task& task) {
  const auto bytes = partial_bytes(groups_of(task), task.accumulator());
  APOD_CUDA(cudaMemsetAsync(task.partial, 0, bytes, cuda::native(task.stream)));
}

template <class T>
__global__ void divide(const Count* counts, const T* sums, std::int64_t groups, Columns<T> out) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  const Count count = counts[i];
  const T sum = sums[i];
  out.counts[i] = count;
  out.sums[i] = sum;
  out.sums[groups + i] = count > 0 ? sum / static_cast<T>(count) : T{0};
}

template <class T>
void divide_on(const Task& task) {
  const auto range = group_range(groups_of(task), task.chunk.index, task.chunk.count);
  if (range.size() == 0) return;
  const auto* counts = static_cast<const Count*>(task.combined);
  const auto* sums = reinterpret_cast<const T*>(counts + groups_of(task));
  constexpr unsigned block = 256;
  const auto blocks = static_cast<unsigned>((range.size() + block - 1) / block);
  divide<<<blocks, block, 0, cuda::native(task.stream)>>>(counts + range.begin, sums + range.begin,
                                                          range.size(),
                                                          columns_of<T>(task.output, range.size()));
  cuda::launched("divide");
}

/// The second pass is the same for all: counts, sums and means of this chunk's part of the groups.
struct TwoPasses : Variant {
  void finish(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) { divide_on<decltype(zero)>(task); });
  }
};

}  // namespace apod::groupby
