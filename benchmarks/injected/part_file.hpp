#pragma once

/// \file
/// The file of a traced process: a line for each part of its recording.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace apod::injected {

// A file that grew beyond would take more memory to be read than machines have.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

/// Made when the first line comes. Others can't read it, and nothing that is there is replaced.
/// Uses the system alone: what is loaded into another program must need no library of ours.
class PartFile {
 public:
  explicit PartFile(std::string folder) : folder_(std::move(folder)) {}

  /// False where it can't be written any more: the disk is full, the folder is gone.
  bool write(const std::string& line);
  std::size_t bytes() const { return bytes_; }

 private:
  bool open();
  bool write_all(std::string_view text) const;

  std::string folder_;
  int file_ = -1;  ///< open as long as the process lives
  bool failed_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace apod::injected
