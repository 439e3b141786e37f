#pragma once

/// \file
/// What a warp holds of the columns, backward. For .cu files only.

#include <algorithm>
#include <cstdint>

#include "kernels/bilinear/position.hpp"

namespace apod::bilinear {

inline constexpr int window_cols = 128;                ///< output columns of a warp, four a lane
inline constexpr int window_inputs = 64;               ///< input columns at most, two a lane
inline constexpr int window_own = window_inputs / 32;  ///< input columns of a lane

/// Outputs that reach an input column, and that a lane has in its registers with their weights: six
/// where it begins at an even one, so that two are read at once.
inline constexpr int held_terms = 6;
inline constexpr int window_floats = window_cols + held_terms - 2;  ///< with those read in vain

/// Whether no input is reached by more: those outputs lie within an open interval of 2 unit / step.
inline bool weights_are_held(const Side& cols) {
  return 2 * std::uint64_t{cols.unit} <= (held_terms - 1) * std::uint64_t{cols.step};
}

/// Input columns of a window, such that all outputs which reach them are among `window_cols`. The
/// outputs of k neighbouring inputs lie within (k + 1) unit / step, and up to three more go to
/// begin at a multiple of four. With the family's largest scale, k >= 1. Whole sectors of 32 bytes,
/// where there are any: those that two windows write in part cost device memory a fifth more
/// writes.
inline unsigned window_width(const Side& cols) {
  if (cols.out <= window_cols) return window_inputs;
  const std::int64_t fit = (window_cols - 3) * std::int64_t{cols.step} / cols.unit - 1;
  const std::int64_t width = std::min<std::int64_t>(window_inputs, fit);
  return static_cast<unsigned>(width < 8 ? width : width - width % 8);
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

  __device__ static Window make(const Side& side, unsigned begin, unsigned width, bool aligned,
                                unsigned lane) {
    Window window;
    const unsigned end = std::min(begin + width, side.in);
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

}  // namespace apod::bilinear
