#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

/// Reads lines from a pipe.
class LineReader {
 public:
  /// Longer lines than `longest` come in pieces, so that one without an end can't fill the memory.
  explicit LineReader(Descriptor file, std::size_t longest = std::string::npos)
      : file_(std::move(file)), longest_(longest) {}

  int descriptor() const { return file_.get(); }  ///< for poll(2); -1 after the end
  bool open() const { return static_cast<bool>(file_); }
  /// Reads once, and waits if there is nothing to read.
  void read_some();
  /// The next whole line that was read, without its end.
  std::optional<std::string> next();
  /// What remains after the last line.
  const std::string& rest() const { return pending_; }

 private:
  Descriptor file_;
  std::size_t longest_;
  std::string pending_;
  std::size_t searched_ = 0;  ///< so much of `pending_` has no end of a line
};

/// Keeps the last 2000 bytes that come through a pipe.
class TailReader {
 public:
  explicit TailReader(Descriptor file);

  int descriptor() const { return file_.get(); }  ///< for poll(2); -1 after the end
  bool open() const { return static_cast<bool>(file_); }
  /// Reads the available bytes; does not wait.
  void read_some();
  const std::string& text() const { return text_; }

 private:
  Descriptor file_;
  std::string text_;
};

/// The last line of `text` that is not empty.
std::string last_line(const std::string& text);

}  // namespace apod::os
