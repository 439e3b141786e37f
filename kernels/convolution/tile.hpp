#pragma once

/// \file
/// The part of an image that a block works on, in shared memory. For .cu files only.

#include <cuda_pipeline.h>

#include <cstdint>

#include "kernels/convolution/problem.hpp"

namespace apod::convolution {

/// `threads_y` rows of `threads_x` threads, each of which computes `across` x `down` pixels.
///
/// A thread reads groups of four floats, one instruction each, and its neighbour's begin `across` /
/// 4 groups further on. A row is stored in as many parts, so that what neighbours read together is
/// contiguous. Parts begin in different banks, so that a row is filled without conflicts as well.
template <int width, int across, int down, int threads_x, int threads_y>
struct Tile {
  static constexpr int threads = threads_x * threads_y;
  static constexpr int reach = width - 1;  ///< rows and columns beyond the pixels that are made
  static constexpr int cols = threads_x * across;  ///< of pixels that are made
  static constexpr int rows = threads_y * down;    ///< likewise
  static constexpr int all_rows = rows + reach;
  static constexpr int groups = across / 4;
  static constexpr int window_groups = (across + reach + 3) / 4;  ///< that a thread reads of a row
  static constexpr int row_groups = (threads_x - 1) * groups + window_groups;
  static constexpr int least_part = (row_groups + groups - 1) / groups;
  static constexpr int first_bank = groups < 8 ? 8 / groups % 8 : 1;  // of a part, in groups
  static constexpr int part_groups =
      groups == 1 ? least_part : (least_part - first_bank + 7) / 8 * 8 + first_bank;
  static constexpr int row_floats = part_groups * groups * 4;
  static_assert(across % 4 == 0 && 8 % groups == 0);

  /// The place of group `group` in a row, in groups.
  __device__ static constexpr int place(int group) {
    return group % groups * part_groups + group / groups;
  }
  /// The place of column `col` in a row, in floats.
  __device__ static constexpr int at(int col) { return place(col / 4) * 4 + col % 4; }
  /// at(col + cols) - at(col), the same for every col if `cols` is a multiple of 32.
  __device__ static constexpr int after(int columns) { return columns / groups; }

  static constexpr int bytes = all_rows * row_floats * static_cast<int>(sizeof(float));
  static_assert(bytes <= 48 * 1024, "more than 48 KiB need a launch attribute");

  /// Blocks for an image.
  static dim3 grid(const Part& part) {
    return dim3(static_cast<unsigned>((part.cols + cols - 1) / cols),
                static_cast<unsigned>((part.out_rows + rows - 1) / rows));
  }
};

/// The position of a thread, for work that goes by rows: each warp takes every `warps`-th.
template <class T>
struct Lane {
  static constexpr int warps = T::threads / 32;
  int lane = static_cast<int>(threadIdx.x % 32);
  int warp = static_cast<int>(threadIdx.x / 32);
};

/// Fills the tile from the image, whose row `top` and column `left` are its first; zeros outside,
/// if not all of it is `inside`. Asynchronous copies, so that all of them are in flight at once, of
/// one float each: larger ones were slower on an H200, because their parts have to be scattered.
template <class T, bool inside>
__device__ void load_rows(float* tile, const float* image, const Part& part, int top, int left) {
  const Lane<T> me;
  constexpr int cols = T::row_groups * 4;
  // May point outside of the image, but is not followed there. As unsigned numbers, rows above and
  // columns left of the image are beyond its other border.
  const float* source =
      image + (static_cast<std::int64_t>(top + me.warp) * part.cols + left + me.lane);
  float* target = tile + me.warp * T::row_floats + T::at(me.lane);
  // Without a loop if every copy is known: that takes little more than half the instructions.
#pragma unroll(inside ? T::all_rows : 1)
  for (int n = 0; n < T::all_rows; n += me.warps) {
    const int r = me.warp + n;
    if (n + me.warps > T::all_rows && r >= T::all_rows) break;
    const bool row_inside =
        inside || static_cast<unsigned>(top + r) < static_cast<unsigned>(part.rows);
#pragma unroll
    for (int c = 0; c < cols; c += 32) {
      if (c + 32 <= cols || c + me.lane < cols) {
        const bool col_inside =
            inside || static_cast<unsigned>(left + me.lane + c) < static_cast<unsigned>(part.cols);
        if (row_inside && col_inside) {
          __pipeline_memcpy_async(target + T::after(c), source + c, sizeof(float));
        } else {
          target[T::after(c)] = 0;
        }
      }
    }
    source += static_cast<std::int64_t>(me.warps) * part.cols;
    target += me.warps * T::row_floats;
  }
}

/// load_rows, and waits for all of the block.
template <class T>
__device__ void load_tile(float* tile, const float* image, const Part& part, int top, int left) {
  const bool inside = top >= 0 && top + T::all_rows <= part.rows && left >= 0 &&
                      left + T::row_groups * 4 <= part.cols;
  if (inside) {
    load_rows<T, true>(tile, image, part, top, left);
  } else {
    load_rows<T, false>(tile, image, part, top, left);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

/// The part of a row that a thread reads, from the first of its groups on.
template <class T, class Accumulator>
__device__ void load_window(Accumulator (&window)[T::window_groups * 4], const float4* row) {
#pragma unroll
  for (int g = 0; g < T::window_groups; ++g) {
    const float4 four = row[T::place(g)];
    window[4 * g] = four.x;
    window[4 * g + 1] = four.y;
    window[4 * g + 2] = four.z;
    window[4 * g + 3] = four.w;
  }
}

/// Writes the tile's first rows to the result, from row `top` and column `left` on, up to the
/// result's edge if not all of it is `inside`. Warps store whole rows, a `Unit` (float, or float4
/// if rows are aligned) per thread.
template <class T, class Unit, bool inside>
__device__ void store_rows(const float* tile, float* out, const Part& part, int top, int left) {
  const Lane<T> me;
  static_assert(T::rows % me.warps == 0);
  constexpr int unit = sizeof(Unit) / sizeof(float);
  const float* source = tile + me.warp * T::row_floats + T::at(unit * me.lane);
  float* target =
      out + (static_cast<std::int64_t>(top + me.warp) * part.cols + left + unit * me.lane);
  const int rows = part.out_rows - top - me.warp;
  const int cols = part.cols - left - unit * me.lane;
#pragma unroll(inside ? T::rows : 1)
  for (int r = 0; r < T::rows; r += me.warps) {
#pragma unroll
    for (int c = 0; c < T::cols; c += 32 * unit) {
      const bool in_tile = c + 32 * unit <= T::cols || c + unit * me.lane < T::cols;
      if (in_tile && (inside || (r < rows && c < cols))) {
        *reinterpret_cast<Unit*>(target + c) = *reinterpret_cast<const Unit*>(source + T::after(c));
      }
    }
    source += me.warps * T::row_floats;
    target += static_cast<std::int64_t>(me.warps) * part.cols;
  }
}

template <class T>
__device__ void store_tile(const float* tile, float* out, const Part& part, int top, int left) {
  const bool inside = top + T::rows <= part.out_rows && left + T::cols <= part.cols;
  if (inside && part.cols % 4 == 0) {
    store_rows<T, float4, true>(tile, out, part, top, left);
  } else if (inside) {
    store_rows<T, float, true>(tile, out, part, top, left);
  } else {
    store_rows<T, float, false>(tile, out, part, top, left);
  }
}

}  // namespace apod::convolution
