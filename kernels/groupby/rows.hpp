#pragma once

/// \file
/// How a block reads its rows. For .cu files only.

#include <cstddef>

#include "kernels/groupby/cells.hpp"

namespace apod::groupby {

/// One block a multiprocessor, as large as it can be: all of its shared memory is one table's.
inline constexpr unsigned threads = 1024;
/// Loads of 16 bytes, two rows each, that a thread has on their way.
inline constexpr int loads = 4;
/// Rows that a block works on at once.
inline constexpr std::size_t tile_rows = std::size_t{threads} * loads * 2;

/// Calls body(key, value) for each of the block's rows: one stretch of whole tiles, so that sorted
/// keys are few in each block, and a share of the rows that are left. The next tile is loaded
/// before this one is worked on. `rows` is aligned to 16 bytes.
template <class Body>
__device__ void for_rows_of_block(const Row* rows, std::size_t n, const Body& body) {
  const auto* pairs = reinterpret_cast<const int4*>(rows) + threadIdx.x;
  const std::size_t tiles = n / tile_rows;
  std::size_t tile = tiles * blockIdx.x / gridDim.x;
  const std::size_t end = tiles * (blockIdx.x + 1) / gridDim.x;
  int4 next[loads];
  const auto load = [&] {
#pragma unroll
    for (int k = 0; k < loads; ++k) next[k] = __ldg(pairs + tile * (tile_rows / 2) + k * threads);
  };
  if (tile < end) load();
  while (tile < end) {
    int4 now[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) now[k] = next[k];
    if (++tile < end) load();
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      body(now[k].x, __int_as_float(now[k].y));
      body(now[k].z, __int_as_float(now[k].w));
    }
  }
  const std::size_t stride = std::size_t{gridDim.x} * threads;
  for (std::size_t i = tiles * tile_rows + blockIdx.x * threads + threadIdx.x; i < n; i += stride) {
    body(rows[i].key, rows[i].value);
  }
}

}  // namespace apod::groupby
