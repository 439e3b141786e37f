#pragma once

/// \file
/// Backward, by strips. For .cu files only.

#include <cstdint>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/bilinear/strips.hpp"

namespace apod::bilinear {

inline constexpr int window_warps = strip_threads / 32;  ///< of a block
inline constexpr int window_cols = 128;  ///< output columns that a warp holds, four a lane
inline constexpr int window_batch = 4;   ///< output rows that are on their way at once

inline constexpr int window_inputs = 64;  ///< input columns at most, two a lane

/// Windows that cover the input's columns, such that all outputs which reach a window's columns are
/// among `window_cols`. The outputs of k neighbouring inputs lie within (k + 1) unit / step, and up
/// to three more go to begin at a multiple of four. With the family's largest scale, k >= 1.
inline unsigned windows_of(const Side& cols) {
  std::int64_t each = window_inputs;
  if (cols.out > window_cols) {
    const std::int64_t fit = (window_cols - 3) * std::int64_t{cols.step} / cols.unit - 1;
    each = std::min(each, fit);
  }
  return static_cast<unsigned>((cols.in + each - 1) / each);
}

/// Which of the window's columns is a lane's k-th: neighbours where rows are aligned, and else each
/// 32 after the last, so that the warp always loads neighbours.
template <bool aligned>
__device__ unsigned column(unsigned lane, unsigned k) {
  return aligned ? 4 * lane + k : lane + 32 * k;
}

/// Zeros beyond the window's `count` columns.
template <bool aligned>
__device__ void load_columns(float (&values)[4], const float* row, unsigned lane, unsigned count) {
  if constexpr (aligned) {
    const float4 four = 4 * lane < count ? __ldg(reinterpret_cast<const float4*>(row) + lane)
                                         : make_float4(0, 0, 0, 0);
    values[0] = four.x;
    values[1] = four.y;
    values[2] = four.z;
    values[3] = four.w;
  } else {
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned col = column<aligned>(lane, k);
      values[k] = col < count ? __ldg(row + col) : 0;
    }
  }
}

template <bool aligned>
__device__ void store_columns(float* row, const float (&values)[4], unsigned lane) {
  if constexpr (aligned) {
    reinterpret_cast<float4*>(row)[lane] = make_float4(values[0], values[1], values[2], values[3]);
  } else {
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) row[column<aligned>(lane, k)] = values[k];
  }
}

/// A window of columns as a lane sees it.
struct Window {
  static constexpr int own = window_inputs / 32;  ///< input columns of a lane, 32 from one another

  unsigned left;        ///< first output column
  unsigned count;       ///< of output columns
  unsigned col;         ///< the lane's first input column
  unsigned first[own];  ///< output that reaches the lane's k-th column, counted from `left`
  unsigned terms[own];  ///< how many of them; 0 where the lane has no k-th column
  float distance[own];  ///< from that column to the first of them, in 1 / unit

  template <bool aligned>
  __device__ static Window make(const Side& side, unsigned index, unsigned windows, unsigned lane) {
    Window window;
    const auto edge = [&](unsigned i) {
      return static_cast<unsigned>(static_cast<std::uint64_t>(side.in) * i / windows);
    };
    const unsigned begin = edge(index);
    const unsigned end = edge(index + 1);
    window.left = first_output(side, begin);
    if (aligned) window.left -= window.left % 4;
    window.count = last_output(side, end - 1) + 1 - window.left;
    window.col = begin + lane;
#pragma unroll
    for (int k = 0; k < own; ++k) {
      const unsigned col = window.col + 32 * k;
      window.first[k] = window.terms[k] = 0;
      window.distance[k] = 0;
      if (col >= end) continue;
      const unsigned first = first_output(side, col);
      window.first[k] = first - window.left;
      window.terms[k] = last_output(side, col) - first + 1;
      // May be negative: its magnitude is less than unit, and both products are modulo 2^32.
      window.distance[k] =
          static_cast<float>(static_cast<int>(first * side.step - col * side.unit));
    }
    return window;
  }

  /// Stores the lane's columns of a row of sums: `values` holds the window's output columns, and
  /// `target` points to the lane's first column.
  __device__ void gather(float* target, const float* values, const Side& side) const {
    const auto unit = static_cast<float>(side.unit);
    const auto step = static_cast<float>(side.step);
#pragma unroll
    for (int k = 0; k < own; ++k) {
      if (terms[k] == 0) break;
      float away = distance[k];
      float sum = 0;
      for (unsigned i = 0; i < terms[k]; ++i) {
        sum += (unit - fabsf(away)) * side.inverse * values[first[k] + i];
        away += step;
      }
      __stcs(target + 32 * k, sum);
    }
  }
};

/// A warp makes the columns of a window in a strip of rows. Going down the output, it adds each row
/// to the input row above and to the one below, which needs no neighbours and reads every gradient
/// once. When an input row is complete, and only then, the lanes exchange it and gather the columns
/// that reach theirs. No atomics: each sum has one order.
template <bool aligned>
__global__ void __launch_bounds__(strip_threads)
    gather_strips(const float* in, float* out, Images images, unsigned strip_rows,
                  unsigned windows) {
  // Two rows a warp in turn, so that one barrier a row is enough.
  alignas(16) __shared__ float exchanged[window_warps][2][window_cols];
  const Side& rows = images.rows;
  const Side& cols = images.cols;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned item = blockIdx.x * window_warps + warp;
  const unsigned first = item / windows * strip_rows;
  if (first >= rows.in) return;  // the whole warp
  const unsigned end = std::min(first + strip_rows, rows.in);
  const auto window = Window::make<aligned>(cols, item % windows, windows, lane);
  const unsigned first_row = first_output(rows, first);
  const unsigned last_row = last_output(rows, end - 1);
  const Position start = position(rows, first_row);
  unsigned turn = 0;

  for (std::size_t plane = blockIdx.y; plane < images.planes; plane += gridDim.y) {
    const float* source = in + plane * images.outputs() + window.left;
    float* target = out + plane * images.inputs() + window.col;
    unsigned o = first_row;
    Position at = start;
    // Whether output row o + i is there, and lies between the same input rows as o.
    const auto is_next = [&](unsigned i) {
      return o + i <= last_row && at.rest + i * rows.step < rows.unit;
    };
    float values[window_batch][4];
    const auto load = [&] {
#pragma unroll
      for (int i = 0; i < window_batch; ++i) {
        if (is_next(i)) {
          load_columns<aligned>(values[i], source + std::size_t{o + i} * cols.out, lane,
                                window.count);
        }
      }
    };
    float upper[4] = {};  // sums of the input row at.index
    float lower[4] = {};  // of the one below
    load();
    while (o <= last_row) {
      unsigned loaded = 0;
#pragma unroll
      for (int i = 0; i < window_batch; ++i) {
        if (!is_next(i)) break;
        ++loaded;
        const unsigned rest = at.rest + i * rows.step;
        const float of_upper = weight_before(rows, rest);
        const float of_lower = weight_behind(rows, rest);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          upper[k] += of_upper * values[i][k];
          lower[k] += of_lower * values[i][k];
        }
      }
      const unsigned row = at.index;
      o += loaded;
      at.rest += (loaded - 1) * rows.step;
      const bool complete = advance(rows, at) || o > last_row;
      load();  // on its way while the row is finished
      if (!complete) continue;
      if (row >= first) {  // the row above the strip is not its own
        float* shared = exchanged[warp][turn];
        turn ^= 1;
        store_columns<aligned>(shared, upper, lane);
        __syncwarp();
        window.gather(target + std::size_t{row} * cols.in, shared, cols);
      }
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        upper[k] = lower[k];
        lower[k] = 0;
      }
    }
  }
}

inline void backward_by_strips(const Part& work, cudaStream_t stream) {
  const Images& images = work.images;
  const unsigned windows = windows_of(images.cols);
  const Strips strips = strips_of(images.planes, images.rows.in, std::int64_t{32} * windows);
  if (images.cols.out % 4 == 0) {
    gather_strips<true><<<strips.grid, strip_threads, 0, stream>>>(work.input, work.output, images,
                                                                   strips.rows, windows);
  } else {
    gather_strips<false><<<strips.grid, strip_threads, 0, stream>>>(work.input, work.output, images,
                                                                    strips.rows, windows);
  }
  cuda::launched("gather_strips");
}

}  // namespace apod::bilinear
