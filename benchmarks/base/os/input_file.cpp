#include "benchmarks/base/os/input_file.hpp"

#include <time.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>

namespace apod::os {
namespace {

// Of a server's clock that is ahead no tick ends here.
constexpr int most_waits = 50;

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

}  // namespace

std::string input_problem(const std::string& path, const std::string& what) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) return "there is no such file";
  if (fs::is_directory(status)) return "is a folder, not " + what;
  if (!fs::is_regular_file(status)) return "is not a regular file";
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return "can't be read (permission denied?)";
  if (stream.peek() == std::ifstream::traits_type::eof()) return "is empty";
  return "";
}

std::string read_file(const std::string& path, std::size_t most_bytes) {
  if (std::error_code error; std::filesystem::is_directory(path, error)) {
    throw std::runtime_error("is a folder: name a file in it");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
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
  if (text.size() > most_bytes) {
    throw std::runtime_error("is larger than " + std::to_string(most_bytes) + " bytes");
  }
  return text;
}

FileWatch::FileWatch(std::string path) : path_(std::move(path)), before_(state_of(path_)) {
  for (int i = 0; before_ && i < most_waits; ++i) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);  // what the system stamps files with
    if (key(now) > key(before_->st_ctim)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool FileWatch::written() const {
  const auto now = state_of(path_);
  return now && (!before_ || key(*now) != key(*before_));
}

}  // namespace apod::os
