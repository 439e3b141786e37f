#pragma once

/// \file
/// How families compare an output with a reference: its size, and the largest error of its
/// elements, searched by all threads of the host.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <span>
#include <string>

#include "kernels/api/workload.hpp"
#include "kernels/data/data.hpp"

namespace apod {

struct Worst {
  double error = 0;
  std::size_t index = 0;
  /// NaN counts as worse than any number.
  void consider(const Worst& other) {
    const bool worse = std::isnan(other.error) ? !std::isnan(error) : other.error > error;
    if (worse) *this = other;
  }
};

/// Decides the check by its error and tolerance. If it fails, the detail says where ("row 3, column
/// 4"), the value and the expected value, with `digits` digits.
inline void judge(Verification& check, const std::string& where, double got, double expected,
                  int digits = 9) {
  check.passed = check.error <= check.tolerance;  // false for NaN
  if (check.passed) return;
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), " is %.*g, expected %.*g (error %.3g, tolerance %.3g)",
                digits, got, digits, expected, check.error, check.tolerance);
  check.detail = where + text.data();
}

/// Element `index` of an array of T in bytes.
template <class T>
T element_of(std::span<const std::byte> bytes, std::size_t index) {
  T value{};
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

/// "row 3, column 4", of an element of a matrix with `columns` columns.
inline std::string place_in(std::size_t columns, std::size_t index) {
  return "row " + std::to_string(index / columns) + ", column " + std::to_string(index % columns);
}

/// Fails `check`, with a message, if the output does not have the right number of bytes.
inline bool has_size(std::span<const std::byte> output, std::size_t bytes, Verification& check) {
  if (output.size() == bytes) return true;
  check.error = std::numeric_limits<double>::infinity();
  check.detail = "the output has " + std::to_string(output.size()) + " bytes instead of " +
                 std::to_string(bytes);
  return false;
}

/// The worst of error_of(0) to error_of(count - 1), which several threads call at once.
template <class ErrorOf>
Worst worst_of(std::size_t count, const ErrorOf& error_of) {
  Worst worst;
  std::mutex mutex;
  parallel_for(static_cast<std::int64_t>(count), [&](std::int64_t first, std::int64_t last) {
    Worst mine;
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      mine.consider({error_of(i), i});
    }
    const std::lock_guard lock(mutex);
    worst.consider(mine);
  });
  return worst;
}

}  // namespace apod
