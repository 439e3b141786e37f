#pragma once

/// \file
/// The columns that a warp holds, backward. For .cu files only.

#include <algorithm>
#include <cstdint>

#include "kernels/bilinear/position.hpp"

namespace apod::bilinear {

/// Output and input columns of a warp for each four outputs of a lane.
inline constexpr int outputs_each = 128;
inline constexpr int inputs_each = 64;

/// Outputs that reach an input column, and that a lane has in its registers with their weights:
/// six, because it begins at an even one so that two are read at once.
inline constexpr int held_terms = 6;
/// Whether no input is reached by more: those outputs lie within an open interval of 2 unit / step.
inline bool weights_are_held(const Side& cols) {
  return 2 * std::uint64_t{cols.unit} <= (held_terms - 1) * std::uint64_t{cols.step};
}

/// How the input's columns are divided: `count` windows, the last of them perhaps smaller.
struct Windows {
  unsigned width = 0;
  unsigned count = 0;
};

/// Windows such that all outputs that reach one are among `outputs` columns. The outputs of k
/// neighbouring inputs lie within (k + 1) unit / step, and up to seven more are needed to begin at
/// a whole sector of 32 bytes. With the family's largest scale, k >= 1. Both begin at whole sectors
/// if there are any: otherwise asynchronous copies of 16 bytes read half of a sector twice, and
/// sectors that two windows write in part cost device memory more writes.
inline Windows windows_of(const Side& cols, int fours) {
  const std::int64_t outputs = fours * outputs_each;
  std::int64_t most = fours * inputs_each;
  if (cols.out > outputs) {
    most = std::min(most, (outputs - 7) * std::int64_t{cols.step} / cols.unit - 1);
  }
  if (most >= 8) most -= most % 8;
  const std::int64_t count = (cols.in + most - 1) / most;
  const std::int64_t even = (cols.in + count - 1) / count;
  const std::int64_t width = std::min(most, (even + 7) / 8 * 8);
  return {static_cast<unsigned>(width), static_cast<unsigned>((cols.in + width - 1) / width)};
}

/// The outputs that reach one input column, in a window's row of sums. Many: their weights are
/// computed as they are needed.
struct ManyTerms {
  unsigned first = 0;  ///< counted from the window's first column
  unsigned count = 0;
  float distance = 0;  ///< from the input to the first of them, in 1 / unit

  ManyTerms() = default;
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

  FewTerms() = default;
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
template <class Terms, int fours>
struct Window {
  static constexpr int most_own = fours * inputs_each / 32;

  unsigned left;   ///< first output column
  unsigned count;  ///< of output columns
  unsigned col;    ///< the lane's first input column; the next are 32 from one another
  int own = 0;     ///< how many it has
  Terms terms[most_own];

  __device__ static Window make(const Side& side, unsigned begin, unsigned width, bool aligned,
                                unsigned lane) {
    Window window;
    const unsigned end = std::min(begin + width, side.in);
    window.left = first_output(side, begin);
    if (aligned) window.left -= window.left % 8;
    window.count = last_output(side, end - 1) + 1 - window.left;
    window.col = begin + lane;
#pragma unroll
    for (int k = 0; k < most_own; ++k) {
      if (window.col + 32 * k >= end) break;
      window.terms[k] = Terms(side, window.col + 32 * k, window.left);
      ++window.own;
    }
    return window;
  }

  /// Stores the lane's columns of a row: `values` holds the sums of the window's output columns,
  /// and `target` points to the lane's first column.
  __device__ void gather(float* target, const float* values, const Side& side) const {
    float made[most_own];  // all of them, so that none waits for another
#pragma unroll
    for (int k = 0; k < most_own; ++k) made[k] = terms[k].sum(values, side);
#pragma unroll
    for (int k = 0; k < most_own; ++k) {
      if (k < own) __stcs(target + 32 * k, made[k]);
    }
  }
};

}  // namespace apod::bilinear
