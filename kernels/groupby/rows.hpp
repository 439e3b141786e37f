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

/// Calls body(key, value) for each of the block's rows: one stretch of them, so that sorted keys
/// are few in each block. The next tile is loaded before this one is worked on. `rows` is aligned
/// to 16 bytes.
template <class Body>
__device__ void for_rows_of_block(const Row* rows, std::size_t n, Body body) {
  const auto* pairs = reinterpret_cast<const int4*>(rows);
  const std::size_t count = n / 2;
  const std::size_t tile = tile_rows / 2;
  const std::size_t tiles = (count + tile - 1) / tile;
  const std::size_t stretch_end = tiles * (blockIdx.x + 1) / gridDim.x * tile;
  const std::size_t end = stretch_end < count ? stretch_end : count;
  constexpr int none = -1;  // no row's key
  int4 next[loads];
  const auto load = [&](std::size_t at) {
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const std::size_t i = at + k * threads;
      next[k] = i < end ? __ldg(pairs + i) : make_int4(none, 0, none, 0);
    }
  };
  std::size_t at = tiles * blockIdx.x / gridDim.x * tile + threadIdx.x;
  load(at);
  while (at < end) {
    int4 now[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) now[k] = next[k];
    at += tile;
    load(at);
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      if (now[k].x == none) continue;
      body(now[k].x, __int_as_float(now[k].y));
      body(now[k].z, __int_as_float(now[k].w));
    }
  }
  const bool odd = n % 2 != 0 && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0;
  if (odd) body(rows[n - 1].key, rows[n - 1].value);
}

}  // namespace apod::groupby
