#pragma once

#include <sys/types.h>

#include <functional>

#include "benchmarks/base/os/descriptor.hpp"

namespace apod::os {

/// A child that waits for our death, however it comes, and then does one deed in our place. It
/// leads its own process group. Forks, so it must not be used by a process that has a GPU open. The
/// deed may allocate: glibc leaves malloc usable in the child, whatever other threads were doing.
class Guard {
 public:
  /// Throws std::system_error if the system can't start another process.
  explicit Guard(const std::function<void()>& deed);
  /// Ends it without its deed.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  pid_t pid() const { return pid_; }

 private:
  Descriptor life_;  ///< closed by our death, which the guard sees
  pid_t pid_ = -1;
};

}  // namespace apod::os
