#pragma once

/// \file
/// Data with structure, as photos and measurements have it: black, flat and bright in large parts.
/// Rounding errors of equal values all point the same way, and next to nothing but zeros an error
/// that is small beside the brightest value is a large one.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "kernels/api/params.hpp"
#include "tests/kernels/api/temporary_folder.hpp"

namespace apod::test {

/// Bright, black, grey and again, in runs of 1, 2, 4, 8, ... values: whatever the size, there is
/// more than one of them, and the longest is half of it. No fp32 is exactly the grey, 77 / 255.
inline char scene_value(std::int64_t distance) {
  const auto run = std::bit_width(static_cast<std::uint64_t>(distance) + 1) - 1;
  return run % 3 == 0 ? '\xff' : run % 3 == 1 ? '\0' : '\x4d';
}

/// A .pgm file of 2^20 values. An image is a bright square within frames of these, and so is each
/// crop of its centre; a vector has runs of them, and so does each prefix.
inline std::string scene_file(bool image) {
  constexpr std::int64_t side = 1024;
  const Shape shape = image ? Shape{side, side} : Shape{1, side * side};
  std::string text =
      "P5 " + std::to_string(shape.cols) + " " + std::to_string(shape.rows) + " 255\n";
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t col = 0; col < shape.cols; ++col) {
      text +=
          scene_value(image ? std::max(std::abs(row - side / 2), std::abs(col - side / 2)) : col);
    }
  }
  static const TemporaryFolder folder;
  return folder.write(image ? "image.pgm" : "vector.pgm", text);
}

}  // namespace apod::test
