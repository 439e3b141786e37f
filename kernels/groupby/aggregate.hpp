#pragma once

/// \file
/// Adds rows to a table of counts and sums: first in the shared memory of each block, in as many
/// copies as fit, or, if none fits, directly in device memory. For .cu files only.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/multiprocessors.hpp"
#include "kernels/groupby/held.hpp"
#include "kernels/groupby/problem.hpp"
#include "kernels/groupby/rows.hpp"

namespace apod::groupby {

/// What a pass over the rows computes.
enum class Kept : std::uint8_t { counts, sums, both };

/// Counts and sums of some cells; those that are not kept are untouched.
template <class T, class Number, Kept kept>
struct Table {
  static constexpr bool with_counts = kept != Kept::sums;
  static constexpr bool with_sums = kept != Kept::counts;
  static constexpr std::size_t cell_bytes =
      (with_counts ? sizeof(Number) : 0) + (with_sums ? sizeof(T) : 0);

  Number* counts = nullptr;
  T* sums = nullptr;

  /// For cells that no other thread adds to meanwhile.
  __device__ void add(unsigned cell, Number count, T sum) const {
    const Number counted = this->count(cell);
    const T summed = this->sum(cell);  // both are on their way before one is written
    if constexpr (with_counts) counts[cell] = counted + count;
    if constexpr (with_sums) sums[cell] = summed + sum;
  }
  __device__ void add_atomic(unsigned cell, Number count, T sum) const {
    if constexpr (with_counts) atomicAdd(counts + cell, count);
    if constexpr (with_sums) atomicAdd(sums + cell, sum);
  }
  __device__ Number count(unsigned cell) const {
    if constexpr (with_counts) return counts[cell];
    return 0;
  }
  __device__ T sum(unsigned cell) const {
    if constexpr (with_sums) return sums[cell];
    return 0;
  }
};

/// The table of the whole device.
template <class T, Kept kept>
using DeviceTable = Table<T, Count, kept>;

/// Each slot has `copies` cells, a power of two, and a thread adds to only one of them: the lanes
/// of a warp find their cells in different banks, and few threads add to the same cell (with as
/// many copies as threads, only one).
template <class T, Kept kept, class Index, bool alone>
__global__ void __launch_bounds__(threads)
    aggregate_in_blocks(const Row* rows, std::size_t n, unsigned slots, unsigned copies,
                        Index device_index, DeviceTable<T, kept> device_table) {
  using BlockTable = Table<T, unsigned, kept>;
  extern __shared__ double memory[];
  const unsigned cells = slots * copies;
  auto* const sums = reinterpret_cast<T*>(memory);
  auto* const counts = reinterpret_cast<unsigned*>(sums + (BlockTable::with_sums ? cells : 0));
  auto* const keys = reinterpret_cast<int*>(counts + (BlockTable::with_counts ? cells : 0));
  const BlockTable table{counts, sums};
  const Index index = device_index.in_block(keys);

  const auto words = (cells * BlockTable::cell_bytes + slots * Index::slot_bytes) / sizeof(int);
  for (unsigned i = threadIdx.x; i < words; i += threads) reinterpret_cast<int*>(memory)[i] = 0;
  __syncthreads();

  const unsigned copy = threadIdx.x & (copies - 1);
  const BlockTable own{counts + copy, sums + copy};
  if constexpr (alone) {
    for_rows_of_block(
        rows, n, [&](int key, float value) { own.add(index.slot_of(key) * copies, 1, value); });
  } else {
    Held<T, Index::is_at_once> held;
    const auto put = [&](int key, unsigned count, T sum) {
      own.add_atomic(index.slot_of(key) * copies, count, sum);
    };
    for_rows_of_block(rows, n, [&](int key, float value) { held.add(key, value, put); });
    held.put_rest(put);
  }
  __syncthreads();

  for (unsigned half = copies / 2; half > 0; half /= 2) {
    for (unsigned i = threadIdx.x; i < slots * half; i += threads) {
      const unsigned cell = i / half * copies + i % half;
      table.add(cell, table.count(cell + half), table.sum(cell + half));
    }
    __syncthreads();
  }
  for (unsigned slot = threadIdx.x; slot < slots; slot += threads) {
    const int key = index.key_of(slot);
    if (key < 0) continue;
    const unsigned cell = slot * copies;
    device_table.add_atomic(device_index.slot_of(key), table.count(cell), table.sum(cell));
  }
}

template <class T, Kept kept, class Index>
__global__ void __launch_bounds__(threads)
    aggregate_in_memory(const Row* rows, std::size_t n, Index index, DeviceTable<T, kept> table) {
  Held<T, false> held;
  const auto put = [&](int key, unsigned count, T sum) {
    table.add_atomic(index.slot_of(key), count, sum);
  };
  for_rows_of_block(rows, n, [&](int key, float value) { held.add(key, value, put); });
  held.put_rest(put);
}

/// Bytes of a table that leaves L1 enough of the memory that they share: on an H200, where this was
/// measured, 128 of 228 KiB that can be shared memory.
inline std::size_t roomy_table() {
  const auto most = cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  return static_cast<std::size_t>(most) * 128 / 228;
}

/// Bytes of shared memory that a block can have.
inline std::size_t shared_bytes() {
  return static_cast<std::size_t>(cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
}

/// Enqueues the addition of `n` rows to `table`, which has `slots` slots.
template <class T, Kept kept, class Index>
void enqueue_aggregate(const Row* rows, std::size_t n, unsigned slots, Index index,
                       DeviceTable<T, kept> table, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::size_t>(n / tile_rows, 1, static_cast<std::size_t>(cuda::multiprocessors())));
  const std::size_t rows_of_block = n / blocks;
  const auto bytes = [&](std::size_t copies) {
    return slots * (copies * Table<T, unsigned, kept>::cell_bytes + Index::slot_bytes);
  };
  // A table of more cells than the block has rows takes longer to clear and to join than it saves.
  const auto fits = [&, most = shared_bytes()](std::size_t copies) {
    return slots * copies <= rows_of_block && bytes(copies) <= most;
  };
  unsigned copies = threads;
  while (copies > 0 && !fits(copies)) copies /= 2;
  // A thread that shares its copy anyhow is better off with fewer copies and more L1, which the
  // rows come through; from a warp's lanes on, each still has its own.
  const auto roomy = roomy_table();
  while (Index::is_at_once && copies < threads && copies > 32 && bytes(copies) > roomy) copies /= 2;
  if (copies == 0) {
    aggregate_in_memory<T, kept, Index><<<blocks, threads, 0, stream>>>(rows, n, index, table);
    cuda::launched("aggregate_in_memory");
    return;
  }
  const auto launch = [&](auto alone) {
    constexpr auto kernel = aggregate_in_blocks<T, kept, Index, decltype(alone)::value>;
    APOD_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes(copies))));
    kernel<<<blocks, threads, bytes(copies), stream>>>(rows, n, slots, copies, index, table);
    cuda::launched("aggregate_in_blocks");
  };
  copies == threads ? launch(std::true_type{}) : launch(std::false_type{});
}

}  // namespace apod::groupby
