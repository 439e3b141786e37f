#include "benchmarks/injected/part_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace apod::injected {

bool PartFile::open() {
  // The number of a process that has ended may be another's.
  constexpr int most = 1000;
  for (int i = 0; i < most; ++i) {
    const auto path =
        folder_ + "/" + std::to_string(::getpid()) + "." + std::to_string(i) + ".parts";
    file_ =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file_ >= 0) return true;
    if (errno != EEXIST) break;
  }
  return false;
}

bool PartFile::write_all(std::string_view text) const {
  while (!text.empty()) {
    const auto written = ::write(file_, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool PartFile::write(const std::string& line) {
  if (failed_) return false;
  failed_ = (file_ < 0 && !open()) || !write_all(line + '\n');
  bytes_ += line.size() + 1;
  return !failed_;
}

}  // namespace apod::injected
