#pragma once

/// \file
/// The last arrays made, kept and shared within a bound.

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "kernels/data/array.hpp"

namespace apod {

/// Keeps the last arrays made, for callers that ask for the same one repeatedly. An array that is
/// still used lives on when it is no longer kept. May be used by several threads.
template <class Key>
class ArrayCache {
 public:
  /// Keeps at most `most_bytes` of values.
  explicit ArrayCache(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  /// The array of `key`: the kept one, or the result of `make()`. `bytes` is its size, known before
  /// it is made: older arrays are dropped first, so that they and the new one are not held at once.
  /// An array larger than the bound is not kept. What `make` throws is passed on.
  template <class Make>
  std::shared_ptr<const Floats> get(const Key& key, std::int64_t bytes, const Make& make) {
    // One array is made at a time: making one takes every core, and two callers may want the same.
    const std::lock_guard lock(mutex_);
    for (const auto& entry : kept_) {
      if (entry.key == key) return entry.values;
    }
    while (!kept_.empty() && bytes_ > most_bytes_ - bytes) {
      bytes_ -= kept_.front().bytes;
      kept_.pop_front();
    }
    auto values = std::make_shared<const Floats>(make());
    if (bytes <= most_bytes_) {
      kept_.push_back({key, bytes, values});
      bytes_ += bytes;
    }
    return values;
  }

 private:
  struct Entry {
    Key key;
    std::int64_t bytes = 0;
    std::shared_ptr<const Floats> values;
  };

  const std::int64_t most_bytes_;
  std::mutex mutex_;
  std::deque<Entry> kept_;  ///< newest last
  std::int64_t bytes_ = 0;  ///< of all that is kept
};

}  // namespace apod
