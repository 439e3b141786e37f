#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>

namespace apod::os {

/// Why the file at `path` can't be read whatever it should hold: it is not there, a folder, empty
/// and so on. Empty where it can. `what` it should be: "an export of nsys".
std::string input_problem(const std::string& path, const std::string& what);

/// The bytes of the file at `path`. Throws std::runtime_error, without its name, where it can't be
/// read or has more than `most_bytes`, as a device that never ends has.
std::string read_file(const std::string& path, std::size_t most_bytes);

/// Tells whether what is at a path was written since. A file system keeps times in ticks of some
/// ms, so the constructor waits until the tick of the last change is over.
class FileWatch {
 public:
  explicit FileWatch(std::string path);
  /// Whether it is another file, or was changed. False where there is none.
  bool written() const;

 private:
  std::string path_;
  std::optional<struct stat> before_;
};

}  // namespace apod::os
