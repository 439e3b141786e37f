#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

namespace apod::os {

/// As much of what a process says on stderr is kept, from its end.
constexpr std::size_t error_tail_bytes = 2000;

/// Both ends of a pipe to a process that is started, closed with the scope unless they are
/// released.
class Pipe {
 public:
  /// Throws std::system_error.
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "can't make a pipe to a process");
    }
  }
  ~Pipe() {
    for (const int end : ends_) {
      if (end >= 0) ::close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  /// From now on the caller closes it.
  int release_read() { return std::exchange(ends_[0], -1); }
  int release_write() { return std::exchange(ends_[1], -1); }
  void close_write() {
    if (ends_[1] >= 0) ::close(release_write());
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

}  // namespace apod::os
