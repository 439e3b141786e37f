#pragma once

/// \file
/// Host threads that enqueue work at the same time.

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace apod::run {

class LaunchThreads {
 public:
  /// Starts `count` threads, called "launcher 0", "launcher 1" ... in profilers and by the
  /// operating system; each calls `enter` first. Throws BackendError if a thread can't be started,
  /// and whatever `enter` throws.
  LaunchThreads(std::size_t count, const std::function<void()>& enter);
  ~LaunchThreads();
  LaunchThreads(const LaunchThreads&) = delete;
  LaunchThreads& operator=(const LaunchThreads&) = delete;

  std::size_t count() const { return threads_.size(); }

  /// Every thread calls work(its number); all begin together. Returns when the last has finished.
  /// If some threw, all others still finish, and the exception of the lowest number is rethrown.
  void run(const std::function<void(std::size_t)>& work);

 private:
  void serve(std::size_t number);
  void end();

  std::atomic<int> round_ = 0;    ///< grows when there is work, or the end
  std::atomic<int> working_ = 0;  ///< threads that are not done with it
  const std::function<void(std::size_t)>* work_ = nullptr;  ///< null: the threads end
  std::vector<std::exception_ptr> errors_;                  ///< by thread
  std::vector<std::thread> threads_;
};

}  // namespace apod::run
