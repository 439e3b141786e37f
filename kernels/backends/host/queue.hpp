#pragma once

/// \file
/// A stream of the host backend: one thread that runs one queue in order.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/api/backend.hpp"
#include "kernels/backends/host/recorder.hpp"

namespace apod::host {

/// One piece of work. `label` is its name in a trace; without one it is not traced (events, gates).
struct Item {
  std::function<void()> work;
  std::optional<Activity> label;
};

/// All functions may be called from any thread, except that a capture belongs to one.
class Queue {
 public:
  /// Starts the thread. `name` becomes the thread's name, cut to the 15 characters Linux keeps.
  Queue(std::string_view name, std::uint32_t number, std::shared_ptr<Recorder> recorder);
  /// Runs the remaining work, then ends the thread.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Appends, or adds to the list being captured.
  void push(Item item);
  /// Waits for everything pushed so far. Throws what that work threw, once; work after the failure
  /// was dropped. During a capture throws BackendError{unsupported} and invalidates the capture.
  void synchronize();

  bool capturing() const;
  void begin_capture();
  /// The captured list; nothing when a wait spoiled the capture.
  std::optional<std::vector<Item>> end_capture();

  /// Runs `item` on the calling thread and records it under this queue's number.
  void run(const Item& item) const;

 private:
  struct Capture {
    std::vector<Item> items;
    bool spoiled = false;
  };
  void work_off();

  const std::uint32_t number_;
  const std::shared_ptr<Recorder> recorder_;
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable advanced_;
  std::deque<Item> items_;
  std::uint64_t pushed_ = 0;
  std::uint64_t done_ = 0;
  int waiters_ = 0;
  bool closing_ = false;
  std::exception_ptr error_;
  std::optional<Capture> capture_;
  std::thread thread_;  // last: it uses all of the above
};

/// The queue of `stream`, which must come from the host backend.
inline Queue& queue(Stream& stream) {
  return *reinterpret_cast<Queue*>(stream.handle());
}

}  // namespace apod::host
