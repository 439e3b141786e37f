#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <ext/stdio_filebuf.h>
#include <istream>
#include <optional>
#include <string>

#include "benchmarks/base/os/descriptor.hpp"

namespace apod::os {

/// Of a path that should be a file.
inline constexpr const char* is_a_folder = "is a folder: name a file in that folder";

/// Why the file at `path` can't be read, independent of its content: it does not exist, is a
/// folder, is empty and so on. Empty if it can be read. `what` it should be: "an export of nsys".
std::string input_problem(const std::string& path, const std::string& what);

/// An input file: every named or found file is opened by this. It must be a regular file, because a
/// pipe may never be written to, and a device need not end. Only /dev/stdin or /dev/fd/63, which
/// the user's shell has opened, may be a pipe.
class InputFile : public std::istream {
 public:
  /// Throws std::runtime_error, without the file's name, if it can't be opened or is not such a
  /// file.
  explicit InputFile(const std::string& path);

 private:
  __gnu_cxx::stdio_filebuf<char> buffer_;
};

/// Reads a line without its end into `line`, as std::getline() does. Throws std::runtime_error if
/// it is longer than `longest` bytes.
bool next_line(std::istream& in, std::string& line, std::size_t longest);

/// The bytes of the file at `path`, opened as InputFile does. Throws std::runtime_error, without
/// its name, if it can't be read or has more than `most_bytes`.
std::string read_file(const std::string& path, std::size_t most_bytes);

/// Says what became of the file at a path since. A file system keeps times in ticks of some ms, so
/// the constructor waits until the tick of the last change is over.
class FileWatch {
 public:
  explicit FileWatch(std::string path);
  /// Why what is there now is not all written since; empty if it is, or if nothing is there. A file
  /// that was touched is not written, and one that was appended to not all of it. Asked once.
  std::string why_older() const;

 private:
  std::string path_;
  std::optional<struct stat> before_;
  std::string content_;  ///< of what was there, if it was a text
  Descriptor events_;    ///< of what was there
};

}  // namespace apod::os
