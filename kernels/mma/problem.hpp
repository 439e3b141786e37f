#pragma once

/// \file
/// Rows of 16 values times one 16x16 matrix, `depth` times, all products added up. The values are
/// small whole numbers, which are exact in fp16 and TF32, and so are the sums in fp32: there is one
/// right result, in any order.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace apod::mma {

constexpr std::size_t side = 16;
constexpr int largest_value = 8;   ///< of an element of the rows
constexpr int largest_factor = 4;  ///< of an element of the matrix
/// No sum leaves the whole numbers that fp32 holds: 2^24 / (16 * 8 * 4).
constexpr std::int64_t largest_depth = std::int64_t{1} << 15;

/// The whole number for a value of the input.
inline float whole(float value) {
  const float scaled = std::round(value * 4);
  return std::clamp(scaled, static_cast<float>(-largest_value), static_cast<float>(largest_value));
}

/// The matrix, row-major: whole numbers from -4 to 4 without a pattern that would help.
inline std::array<float, side * side> matrix() {
  std::array<float, side * side> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>((i * 7 + i / side * 5) % (2 * largest_factor + 1)) -
                static_cast<float>(largest_factor);
  }
  return values;
}

}  // namespace apod::mma
