#pragma once

/// \file
/// Holds a host stream until it is opened, but never longer than a limit.

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace apod::host {

/// How long a stream is held at most, so that a caller that is lost does not stop it for ever.
/// Tests set it: to as good as for ever, because a busy machine must not end their holds, or to
/// hardly any time, to see one end.
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
