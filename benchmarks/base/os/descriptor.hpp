#pragma once

#include <string_view>
#include <utility>

namespace apod::os {

/// An open file descriptor, closed on destruction.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }

  int get() const { return value_; }
  explicit operator bool() const { return value_ >= 0; }
  /// False, with errno set, if the system reports an error: network file systems report a full disk
  /// as late as here.
  bool close();

 private:
  int value_ = -1;
};

/// Both ends of a pipe. No started program inherits them, unless it is given one.
struct Pipe {
  /// Throws std::system_error.
  Pipe();
  Descriptor read, write;
};

/// Writes all of `text`. False, with errno set, if that fails; a part may be written then.
bool write_all(int file, std::string_view text);

/// Makes a new or removed name in `folder` survive a power failure. Best effort: some file systems
/// refuse.
void flush_folder(const char* folder);

}  // namespace apod::os
