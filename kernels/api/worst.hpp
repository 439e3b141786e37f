#pragma once

#include <cmath>
#include <cstddef>

namespace apod {

/// The largest error of a result's elements, and where it is.
struct Worst {
  double error = 0;
  std::size_t index = 0;
  /// NaN counts as worse than any number.
  void consider(const Worst& other) {
    const bool worse = std::isnan(other.error) ? !std::isnan(error) : other.error > error;
    if (worse) *this = other;
  }
};

}  // namespace apod
