#pragma once

/// \file
/// An image with zeros around it, for filters that can't handle a border.

#include "kernels/convolution/problem.hpp"

namespace apod::convolution {

/// Rows of pixels, each after a border of zeros. A mask that reaches beyond the right end of a row
/// reads the left border of the next one, so the last row is followed by a border as well.
struct Padded {
  static constexpr std::int64_t border = 32;  ///< floats: rows begin on lines of 128 bytes
  static_assert(largest_mask / 2 <= border);

  std::int64_t rows = 0;   ///< with the rows of zeros above and below, which a mask reaches
  std::int64_t pitch = 0;  ///< from row to row, in floats

  Padded(std::int64_t out_rows, std::int64_t cols, std::int64_t width)
      : rows(out_rows + width - 1), pitch(border + (cols + border - 1) / border * border) {}
  std::size_t bytes() const {
    return static_cast<std::size_t>(rows * pitch + border) * sizeof(float);
  }
};

}  // namespace apod::convolution
