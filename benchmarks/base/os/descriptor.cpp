#include "benchmarks/base/os/descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace apod::os {

bool Descriptor::close() {
  return value_ < 0 || ::close(std::exchange(value_, -1)) == 0;
}

Pipe::Pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "can't make a pipe to a process");
  }
  read = Descriptor(ends[0]);
  write = Descriptor(ends[1]);
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void flush_folder(const char* folder) {
  const Descriptor file(::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file) ::fsync(file.get());
}

}  // namespace apod::os
