#pragma once

/// \file
/// The largest error of many results, looked for by all threads of the host.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kernels/api/data.hpp"

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
