#pragma once

/// \file
/// Holds a host stream until the gate is opened, but never longer than a limit.

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace apod::host {

/// The limit, so that a lost caller does not block a stream for ever. Tests set it very high, so
/// that a busy machine does not end their holds, or very low, to see a hold end.
inline std::chrono::milliseconds hold_limit{1000};

class Gate {
 public:
  /// Waits for `open`, at most `limit` from now.
  void pass(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    if (!opened_.wait_for(lock, limit, [&] { return open_; })) gave_up_ = true;
  }
  /// False when the hold had already ended by itself.
  bool open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
      if (gave_up_) return false;
    }
    opened_.notify_all();
    return true;
  }
  bool gave_up() const {
    const std::lock_guard lock(mutex_);
    return gave_up_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
  bool gave_up_ = false;
};

}  // namespace apod::host
