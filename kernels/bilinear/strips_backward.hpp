#pragma once

/// \file
/// Backward, by strips. For .cu files only.

#include <cstdint>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/bilinear/strips.hpp"

namespace apod::bilinear {

inline constexpr int window_warps = strip_threads / 32;  ///< of a block
inline constexpr int window_cols = 128;   ///< output columns that a warp holds, four a lane
inline constexpr int window_inputs = 64;  ///< input columns at most, two a lane
inline constexpr int window_own = window_inputs / 32;  ///< input columns of a lane

/// Outputs that reach an input column, and that a lane has in its registers with their weights: six
/// where it begins at an even one, so that two are read at once.
inline constexpr int held_terms = 6;

/// Whether no input is reached by more: those outputs lie within an open interval of 2 unit / step.
inline bool weights_are_held(const Side& cols) {
  return 2 * std::uint64_t{cols.unit} <= (held_terms - 1) * std::uint64_t{cols.step};
}

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

/// Those of the window's `count` columns that are a lane's; what is beyond them stays as it is.
/// `row` points to the lane's first.
template <bool aligned>
__device__ void load_columns(float (&values)[4], const float* row, unsigned lane, unsigned count) {
  if constexpr (aligned) {
    if (4 * lane >= count) return;
    const float4 four = __ldg(reinterpret_cast<const float4*>(row));
    values[0] = four.x;
    values[1] = four.y;
    values[2] = four.z;
    values[3] = four.w;
  } else {
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      if (column<aligned>(lane, k) < count) values[k] = __ldg(row + 32 * k);
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

/// The outputs that reach one input column, in a window's row of sums. Many: their weights are
/// computed as they are needed.
struct ManyTerms {
  unsigned first = 0;  ///< counted from the window's first column
  unsigned count = 0;
  float distance = 0;  ///< from the input to the first of them, in 1 / unit

  __device__ ManyTerms() = default;
  __device__ ManyTerms(const Side& side, unsigned col, unsigned left)
      : first(first_output(side, col) - left),
        count(last_output(side, col) - left - first + 1),
        // May be negative: its magnitude is less than unit, and both products are modulo 2^32.
        distance(
            static_cast<float>(static_cast<int>((first + left) * side.step - col * side.unit))) {}

  __device__ float sum(const float* values, const Side& side) const {
    const auto unit = static_cast<float>(side.unit);
    const auto step = static_cast<float>(side.step);
    float away = distance;
    float sum = 0;
    for (unsigned i = 0; i < count; ++i) {
      sum += (unit - fabsf(away)) * side.inverse * values[first + i];
      away += step;
    }
    return sum;
  }
};

/// Few: the weights are the same in every row, and are computed once.
struct FewTerms {
  unsigned first = 0;  ///< even; those that don't reach the input have a weight of 0
  float weight[held_terms] = {};

  __device__ FewTerms() = default;
  __device__ FewTerms(const Side& side, unsigned col, unsigned left)
      : first((first_output(side, col) - left) & ~1U) {
#pragma unroll
    for (unsigned i = 0; i < held_terms; ++i) {
      const auto away = static_cast<int>((first + left + i) * side.step - col * side.unit);
      const int near = static_cast<int>(side.unit) - abs(away);
      weight[i] = near > 0 ? static_cast<float>(near) * side.inverse : 0;
    }
  }

  __device__ float sum(const float* values, const Side&) const {
    const auto* pairs = reinterpret_cast<const float2*>(values + first);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < held_terms; i += 2) {
      const float2 two = pairs[i / 2];
      sum += weight[i] * two.x + weight[i + 1] * two.y;
    }
    return sum;
  }
};

/// A window of columns as a lane sees it.
template <class Terms>
struct Window {
  unsigned left;   ///< first output column
  unsigned count;  ///< of output columns
  unsigned col;    ///< the lane's first input column; the next are 32 from one another
  int own = 0;     ///< how many it has
  Terms terms[window_own];

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
    for (int k = 0; k < window_own; ++k) {
      if (window.col + 32 * k >= end) break;
      window.terms[k] = Terms(side, window.col + 32 * k, window.left);
      ++window.own;
    }
    return window;
  }

  /// Stores the lane's columns of a row: `values` holds the sums of the window's output columns,
  /// and `target` points to the lane's first column.
  __device__ void gather(float* target, const float* values, const Side& side) const {
#pragma unroll
    for (int k = 0; k < window_own; ++k) {
      if (k < own) __stcs(target + 32 * k, terms[k].sum(values, side));
    }
  }
};

/// A warp makes the columns of a window in a strip of rows. Going down the output, it adds each row
/// to the input row above and to the one below, which needs no neighbours and reads every gradient
/// once. When an input row is complete, and only then, the lanes exchange it and gather the columns
/// that reach theirs. No atomics: each sum has one order.
///
/// `batch` output rows are on their way at once: as many as lie between two input rows, or a part.
template <bool aligned, class Terms, unsigned batch>
__global__ void __launch_bounds__(strip_threads, 4)
    gather_strips(const float* in, float* out, Images images, unsigned strip_rows,
                  unsigned windows) {
  alignas(16) __shared__ float exchanged[window_warps][window_cols + held_terms - 2];
  const Side& rows = images.rows;
  const Side& cols = images.cols;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned item = blockIdx.x * window_warps + warp;
  const unsigned first = item / windows * strip_rows;
  if (first >= rows.in) return;  // the whole warp
  const unsigned end = std::min(first + strip_rows, rows.in);
  const unsigned first_row = first_output(rows, first);
  const unsigned strip_outputs = last_output(rows, end - 1) + 1 - first_row;
  const Position start = position(rows, first_row);
  const auto window = Window<Terms>::template make<aligned>(cols, item % windows, windows, lane);
  float* const sums = exchanged[warp];
  // What is read behind the window's columns counts for nothing, but has to be a number.
  if (lane < held_terms - 2) sums[window_cols + lane] = 0;

  for (std::size_t plane = blockIdx.y; plane < images.planes; plane += gridDim.y) {
    const float* source = in + plane * images.outputs() + std::size_t{first_row} * cols.out +
                          window.left + column<aligned>(lane, 0);
    float* target = out + plane * images.inputs() + std::size_t{first} * cols.in + window.col;
    unsigned rest = start.rest;          // of the first row that is to be loaded
    unsigned left = strip_outputs;       // rows that are to be loaded
    bool is_own = start.index == first;  // the row above the strip is another's
    float values[batch][4] = {};
    float upper[4] = {};  // sums of an input row
    float lower[4] = {};  // of the one below
    // Loads those of the next `batch` rows that lie between the same input rows.
    const auto load = [&] {
      unsigned count = 0;
#pragma unroll
      for (unsigned i = 0; i < batch; ++i) {
        if (i >= left || rest + i * rows.step >= rows.unit) break;
        load_columns<aligned>(values[i], source, lane, window.count);
        source += cols.out;
        ++count;
      }
      return count;
    };
    for (unsigned count = load(); count > 0;) {
      bool complete = false;
      do {
#pragma unroll
        for (unsigned i = 0; i < batch; ++i) {
          if (i > 0 && i >= count) break;
          const float of_upper = weight_before(rows, rest + i * rows.step);
          const float of_lower = weight_behind(rows, rest + i * rows.step);
#pragma unroll
          for (int k = 0; k < 4; ++k) {
            upper[k] += of_upper * values[i][k];
            lower[k] += of_lower * values[i][k];
          }
        }
        rest += count * rows.step;
        left -= count;
        complete = rest >= rows.unit || left == 0;
        if (complete) rest -= rows.unit;
        count = load();  // on its way while the row is finished
      } while (!complete);
      if (is_own) {
        __syncwarp();  // the last row has been read
        store_columns<aligned>(sums, upper, lane);
        __syncwarp();
        window.gather(target, sums, cols);
        target += cols.in;
      }
      is_own = true;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        upper[k] = lower[k];
        lower[k] = 0;
      }
    }
  }
}

template <bool aligned>
void launch_backward(const Part& work, cudaStream_t stream) {
  const Images& images = work.images;
  const unsigned windows = windows_of(images.cols);
  const Strips strips = strips_of(images.planes, images.rows.in, std::int64_t{32} * windows);
  const auto kernel = weights_are_held(images.cols) ? gather_strips<aligned, FewTerms, 2>
                                                    : gather_strips<aligned, ManyTerms, 4>;
  kernel<<<strips.grid, strip_threads, 0, stream>>>(work.input, work.output, images, strips.rows,
                                                    windows);
  cuda::launched("gather_strips");
}

inline void backward_by_strips(const Part& work, cudaStream_t stream) {
  work.images.cols.out % 4 == 0 ? launch_backward<true>(work, stream)
                                : launch_backward<false>(work, stream);
}

}  // namespace apod::bilinear
