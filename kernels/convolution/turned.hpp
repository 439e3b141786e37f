#pragma once

/// \file
/// The mask as kernels want it. For .cu files only.

#include "kernels/api/workload.hpp"

namespace apod::convolution {

/// The turned mask, as an argument of the kernel: arguments are in constant memory, from which
/// multiply-adds take weights without a load from shared memory.
template <int width>
struct Turned {
  static constexpr int pairs = (width + 1) / 2;  ///< of a row; two weights come in one load
  float2 rows[width][pairs];

  /// Of a mask of `side` x `side`, surrounded by zeros if the task's is smaller.
  Turned(const Task& task, int side) : rows{} {
    const auto* mask = reinterpret_cast<const float*>(task.problem.constants().data());
    const int margin = (width - side) / 2;
    for (int n = 0; n < side * side; ++n) {
      const int col = margin + n % side;
      float2& pair = rows[margin + n / side][col / 2];
      (col % 2 == 0 ? pair.x : pair.y) = mask[side * side - 1 - n];
    }
  }
  __device__ float at(int row, int col) const {
    return col % 2 == 0 ? rows[row][col / 2].x : rows[row][col / 2].y;
  }
};

}  // namespace apod::convolution
