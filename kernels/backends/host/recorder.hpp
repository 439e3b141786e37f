#pragma once

/// \file
/// Collects what the host streams did while a trace is on.

#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/api/activity.hpp"

namespace apod::host {

/// Nanoseconds of the one clock that events and traces share.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Shared by all streams of a backend.
class Recorder {
 public:
  bool on() const { return on_.load(std::memory_order_relaxed); }
  void start() { on_.store(true, std::memory_order_relaxed); }
  /// Ends recording and returns the records, in the order in which they ended.
  std::vector<Activity> stop() {
    on_.store(false, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    return std::exchange(activities_, {});
  }
  void add(Activity activity) {
    const std::lock_guard lock(mutex_);
    activities_.push_back(std::move(activity));
  }

 private:
  std::atomic<bool> on_{false};
  std::mutex mutex_;
  std::vector<Activity> activities_;
};

}  // namespace apod::host
