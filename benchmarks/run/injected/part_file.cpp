#include "benchmarks/run/injected/part_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "benchmarks/base/os/descriptor.hpp"

namespace apod::injected {

int PartFile::open() {
  constexpr int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
  if (!path_.empty()) return ::open(path_.c_str(), flags);
  // The number of a process that has ended may be another's.
  constexpr int most = 1000;
  for (int i = 0; i < most; ++i) {
    auto path = folder_ + "/" + std::to_string(::getpid()) + "." + std::to_string(i) + ".parts";
    const int file = ::open(path.c_str(), flags | O_CREAT | O_EXCL, 0600);
    if (file >= 0) path_ = std::move(path);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

bool PartFile::write(const std::string& line) {
  if (failed_) return false;
  const int file = open();
  failed_ = file < 0 || !os::write_all(file, line + '\n');
  if (file >= 0) ::close(file);
  bytes_ += line.size() + 1;
  return !failed_;
}

}  // namespace apod::injected
