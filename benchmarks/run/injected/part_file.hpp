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

/// Made when the first line comes. Others can't read it, and nothing that is there is replaced. It
/// is opened anew for each line: a program may close descriptors that it did not open, and what it
/// opens next gets their numbers. Uses the system alone: what is loaded into another program must
/// need no library of ours.
class PartFile {
 public:
  explicit PartFile(std::string folder) : folder_(std::move(folder)) {}

  /// False where it can't be written any more: the disk is full, the folder is gone.
  bool write(const std::string& line);
  std::size_t bytes() const { return bytes_; }

 private:
  int open();

  std::string folder_;
  std::string path_;  ///< empty until it is made
  bool failed_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace apod::injected
