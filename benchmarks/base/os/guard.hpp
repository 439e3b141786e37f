#pragma once

#include <sys/types.h>

#include <functional>

#include "benchmarks/base/os/descriptor.hpp"

namespace apod::os {

/// A child that waits for our death, however that comes, and then does one deed in our place. It
/// leads a process group of its own. Forks, so it is not for a process that has a GPU open. The
/// deed may allocate: glibc leaves malloc usable in the child, whatever other threads were at.
class Guard {
 public:
  /// Throws std::system_error where the system has no process left.
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
