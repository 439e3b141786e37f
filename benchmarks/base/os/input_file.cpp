#include "benchmarks/base/os/input_file.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>

namespace apod::os {
namespace {

// Of a server's clock that is ahead no tick ends here.
constexpr int most_waits = 50;
// Of a larger one no result is read.
constexpr std::size_t most_compared = 4 << 20;

auto key(const timespec& time) {
  return std::tuple(time.tv_sec, time.tv_nsec);
}

auto key(const struct stat& file) {
  return std::tuple_cat(std::tuple(file.st_dev, file.st_ino, file.st_size), key(file.st_mtim),
                        key(file.st_ctim));
}

std::optional<struct stat> state_of(const std::string& path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 ? std::optional(file) : std::nullopt;
}

/// Whether the user's shell has opened it, and so knows who writes to it.
bool is_of_the_shell(const std::string& path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

/// A descriptor to read from; the caller closes it.
int open_input(const std::string& path) {
  // A pipe without a writer would be waited for.
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) {
    throw std::runtime_error(errno == ENOENT
                                 ? "there is no such file"
                                 : std::string("can't be read: ") + std::strerror(errno));
  }
  struct stat about {};
  const bool known = ::fstat(file, &about) == 0;
  const bool is_good = known && (S_ISREG(about.st_mode) || is_of_the_shell(path));
  if (!is_good || S_ISDIR(about.st_mode)) {
    ::close(file);
    throw std::runtime_error(known && S_ISDIR(about.st_mode) ? is_a_folder
                                                             : "is not a regular file");
  }
  ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
  return file;
}

}  // namespace

std::string input_problem(const std::string& path, const std::string& what) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) return "there is no such file";
  if (fs::is_directory(status)) return "is a folder, not " + what;
  if (!fs::is_regular_file(status)) return "is not a regular file";
  try {
    return InputFile(path).peek() == std::istream::traits_type::eof() ? "is empty" : "";
  } catch (const std::runtime_error& bad) {
    return bad.what();
  }
}

InputFile::InputFile(const std::string& path)
    : std::istream(nullptr), buffer_(open_input(path), std::ios::in | std::ios::binary) {
  rdbuf(&buffer_);
}

bool next_line(std::istream& in, std::string& line, std::size_t longest) {
  std::array<char, 1 << 14> piece{};
  line.clear();
  for (;;) {
    in.getline(piece.data(), piece.size());
    const auto read = static_cast<std::size_t>(in.gcount());
    const bool is_piece = in.fail() && !in.eof() && read > 0;  // the line goes on
    const bool ends = in.good();                               // its end was read, too
    line.append(piece.data(), read - (ends ? 1 : 0));
    if (line.size() > longest)
      throw std::runtime_error("has a line of more than " + std::to_string(longest) + " bytes");
    if (ends) return true;
    if (is_piece) {
      in.clear();
      continue;
    }
    in.clear(std::ios::eofbit);
    return !line.empty();
  }
}

std::string read_file(const std::string& path, std::size_t most_bytes) {
  InputFile in(path);
  const auto refuse_large = [&] {
    throw std::runtime_error("is larger than " + std::to_string(most_bytes) + " bytes");
  };
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(path, unknown);  // of a pipe it is not known
  if (!unknown && bytes > most_bytes) refuse_large();
  errno = 0;
  std::string text;
  while (in && text.size() <= most_bytes) {
    constexpr std::size_t block = 1 << 16;
    const std::size_t before = text.size();
    text.resize(before + block);
    in.read(text.data() + before, static_cast<std::streamsize>(block));
    text.resize(before + static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad() || (!in && !in.eof())) {
    throw std::runtime_error(std::string("can't be read: ") +
                             std::strerror(errno != 0 ? errno : EIO));
  }
  if (text.size() > most_bytes) refuse_large();
  return text;
}

namespace {

/// Of a file that is small enough to be read for a result; else empty.
std::string content_of(const std::string& path) {
  try {
    return read_file(path, most_compared);
  } catch (const std::runtime_error&) {
    return {};
  }
}

/// Whether all that happened to a file is that it got another time, another owner or the like.
bool is_only_touched(const Descriptor& events) {
  std::array<inotify_event, 16> seen{};  // of a watched file they have no names
  std::uint32_t all = 0;
  if (::read(events.get(), seen.data(), sizeof seen) <= 0) return false;
  for (const auto& event : seen) all |= event.mask;
  return all == IN_ATTRIB;
}

}  // namespace

FileWatch::FileWatch(std::string path) : path_(std::move(path)), before_(state_of(path_)) {
  if (!before_) return;
  content_ = content_of(path_);
  events_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  ::inotify_add_watch(events_.get(), path_.c_str(), IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF);
  for (int i = 0; i < most_waits; ++i) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);  // what the system stamps files with
    if (key(now) > key(before_->st_ctim)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::string FileWatch::why_older() const {
  const auto now = state_of(path_);
  if (!now || !before_) return "";
  const bool is_same = now->st_dev == before_->st_dev && now->st_ino == before_->st_ino;
  const bool is_unchanged = key(*now) == key(*before_);
  if (is_unchanged || (is_same && is_only_touched(events_)))
    return "the program did not write this file in this run; bench does not read older files";
  // Where the end of a line was added to, no number of the text before can have changed.
  const bool is_longer = is_same && content_.ends_with('\n') && now->st_size > before_->st_size;
  if (is_longer && content_of(path_).starts_with(content_)) {
    return "the program appended to a file that existed before the run, and bench can't read such "
           "a file: delete the file before the run";
  }
  return "";
}

}  // namespace apod::os
