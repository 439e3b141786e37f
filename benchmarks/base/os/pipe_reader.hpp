#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "benchmarks/base/os/descriptor.hpp"

namespace apod::os {

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
