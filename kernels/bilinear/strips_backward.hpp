#pragma once

/// \file
/// Backward, by strips. For .cu files only.

#include <cuda_pipeline.h>

#include <cstdint>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/bilinear/strips.hpp"
#include "kernels/bilinear/window.hpp"

namespace apod::bilinear {

inline constexpr int window_warps = strip_threads / 32;  ///< of a block
inline constexpr unsigned rows_ahead = 4;                ///< output rows in flight per warp

/// Four of a window's columns: neighbours if rows are aligned, and otherwise each 32 after the
/// last, so that the warp always reads neighbours.
template <bool aligned>
struct Four {
  static constexpr unsigned step = aligned ? 1 : 32;
  float value[4];

  __device__ static unsigned first(unsigned lane) { return aligned ? 4 * lane : lane; }

  /// `from` and `to` point to column `first`; columns from `count` on are set to zero.
  __device__ static void copy_async(float* to, const float* from, unsigned first, unsigned count) {
    constexpr unsigned size = (aligned ? 4 : 1) * sizeof(float);
#pragma unroll
    for (unsigned k = 0; k < (aligned ? 1 : 4); ++k) {
      const bool is_there = first + step * k < count;
      __pipeline_memcpy_async(to + step * k, from + step * k, size, is_there ? 0 : size);
    }
  }
  __device__ static Four load(const float* from) {
    Four four;
    if constexpr (aligned) {
      const float4 loaded = *reinterpret_cast<const float4*>(from);
      four.value[0] = loaded.x;
      four.value[1] = loaded.y;
      four.value[2] = loaded.z;
      four.value[3] = loaded.w;
    } else {
#pragma unroll
      for (unsigned k = 0; k < 4; ++k) four.value[k] = from[step * k];
    }
    return four;
  }
  __device__ void store(float* to) const {
    if constexpr (aligned) {
      *reinterpret_cast<float4*>(to) = make_float4(value[0], value[1], value[2], value[3]);
    } else {
#pragma unroll
      for (unsigned k = 0; k < 4; ++k) to[step * k] = value[k];
    }
  }
};

/// A warp computes the columns of a window in a strip of rows. Going down the output, it adds each
/// row to the input row above and to the one below, which needs no neighbours and reads every
/// gradient once. Only when an input row is complete do the lanes exchange it and gather the
/// columns that reach theirs. No atomics: each sum has one order.
///
/// Rows come through shared memory, where many can be in flight without a register; each lane reads
/// what it copied itself.
///
/// A lane has `fours` times four output columns.
template <bool aligned, class Terms, int fours>
__global__ void __launch_bounds__(strip_threads, fours == 1 ? 4 : 3)
    gather_strips(const float* in, float* out, Images images, unsigned strip_rows,
                  Windows windows) {
  constexpr unsigned row_floats = fours * outputs_each;
  constexpr unsigned beyond = held_terms - 2;  // that are read, and count for nothing
  alignas(16) __shared__ float coming[window_warps][rows_ahead][row_floats];
  alignas(16) __shared__ float exchanged[window_warps][row_floats + beyond];
  const Side& rows = images.rows;
  const Side& cols = images.cols;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned item = blockIdx.x * window_warps + warp;
  const unsigned first = item / windows.count * strip_rows;
  if (first >= rows.in) return;  // the whole warp
  const unsigned end = std::min(first + strip_rows, rows.in);
  const unsigned first_row = first_output(rows, first);
  const unsigned count = last_output(rows, end - 1) + 1 - first_row;
  const Position start = position(rows, first_row);
  const auto window = Window<Terms, fours>::make(cols, item % windows.count * windows.width,
                                                 windows.width, aligned, lane);
  const unsigned own_first = Four<aligned>::first(lane);
  float* const ring = coming[warp][0] + own_first;
  float* const sums = exchanged[warp];
  if (lane < beyond) sums[row_floats + lane] = 0;  // they have to be numbers

  for (std::size_t plane = blockIdx.y; plane < images.planes; plane += gridDim.y) {
    const float* source =
        in + plane * images.outputs() + std::size_t{first_row} * cols.out + window.left + own_first;
    float* target = out + plane * images.inputs() + std::size_t{first} * cols.in + window.col;
    const auto slot = [&](unsigned row, int j) {
      return ring + row % rows_ahead * row_floats + j * outputs_each;
    };
    const auto copy = [&](unsigned row) {
      const unsigned columns = row < count ? window.count : 0;
#pragma unroll
      for (int j = 0; j < fours; ++j) {
        Four<aligned>::copy_async(slot(row, j), source + j * outputs_each,
                                  own_first + j * outputs_each, columns);
      }
      source += cols.out;
      __pipeline_commit();
    };
    for (unsigned row = 0; row < rows_ahead; ++row) copy(row);
    bool is_own = start.index == first;  // the input row above the strip is another's
    unsigned rest = start.rest;
    Four<aligned> upper[fours] = {};  // sums of an input row
    Four<aligned> lower[fours] = {};  // of the one below
    for (unsigned row = 0; row < count;) {
      do {  // the output rows between two input rows
        const float of_upper = weight_before(rows, rest);
        const float of_lower = weight_behind(rows, rest);
        __pipeline_wait_prior(rows_ahead - 1);
#pragma unroll
        for (int j = 0; j < fours; ++j) {
          const auto four = Four<aligned>::load(slot(row, j));
#pragma unroll
          for (int k = 0; k < 4; ++k) {
            upper[j].value[k] += of_upper * four.value[k];
            lower[j].value[k] += of_lower * four.value[k];
          }
        }
        copy(row + rows_ahead);
        rest += rows.step;
        ++row;
      } while (rest < rows.unit && row < count);
      rest -= rows.unit;
      if (is_own) {
        __syncwarp();  // the last input row has been read
#pragma unroll
        for (int j = 0; j < fours; ++j) upper[j].store(sums + own_first + j * outputs_each);
        __syncwarp();
        window.gather(target, sums, cols);
        target += cols.in;
      }
      is_own = true;
#pragma unroll
      for (int j = 0; j < fours; ++j) {
        upper[j] = lower[j];
        lower[j] = {};
      }
    }
    __pipeline_wait_prior(0);  // copies in flight must not arrive after the next plane's rows
  }
}

template <bool aligned, class Terms, int fours>
void launch_backward(const Part& work, cudaStream_t stream) {
  const Images& images = work.images;
  const Windows windows = windows_of(images.cols, fours);
  // Low strips, so that a row read by two of them is still in the cache for the second.
  const Strips strips =
      strips_of(images.planes, images.rows.in, std::int64_t{32} * windows.count, 8);
  gather_strips<aligned, Terms, fours><<<strips.grid, strip_threads, 0, stream>>>(
      work.input, work.output, images, strips.rows, windows);
  cuda::launched("gather_strips");
}

template <bool aligned>
void launch_backward(const Part& work, cudaStream_t stream) {
  const Side& cols = work.images.cols;
  if (!weights_are_held(cols)) return launch_backward<aligned, ManyTerms, 1>(work, stream);
  if (cols.out <= outputs_each) return launch_backward<aligned, FewTerms, 1>(work, stream);
  launch_backward<aligned, FewTerms, 2>(work, stream);
}

inline void backward_by_strips(const Part& work, cudaStream_t stream) {
  work.images.cols.out % 4 == 0 ? launch_backward<true>(work, stream)
                                : launch_backward<false>(work, stream);
}

}  // namespace apod::bilinear
