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
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "can't create a pipe");
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

namespace {

constexpr std::size_t tail_bytes = 2000;
// A program that prints without end must not hold up its reader.
constexpr int most_reads = 64;

}  // namespace

void LineReader::read_some() {
  std::array<char, 65536> buffer{};
  const auto got = ::read(file_.get(), buffer.data(), buffer.size());
  if (got > 0) {
    pending_.append(buffer.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    file_.close();
  }
}

std::optional<std::string> LineReader::next() {
  const auto end = pending_.find('\n', searched_);
  const bool whole = end != std::string::npos;
  if (!whole && pending_.size() <= longest_) {
    searched_ = pending_.size();
    return std::nullopt;
  }
  searched_ = 0;
  auto line = pending_.substr(0, end);
  pending_.erase(0, whole ? end + 1 : end);
  return line;
}

TailReader::TailReader(Descriptor file) : file_(std::move(file)) {
  ::fcntl(file_.get(), F_SETFL, O_NONBLOCK);
}

void TailReader::read_some() {
  std::array<char, 4096> buffer{};
  for (int reads = 0; file_ && reads < most_reads; ++reads) {
    const auto got = ::read(file_.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) file_.close();
    if (got > 0) text_.append(buffer.data(), static_cast<std::size_t>(got));
    if (text_.size() > tail_bytes) text_.erase(0, text_.size() - tail_bytes);
  }
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const auto begin = text.rfind('\n', end);
  return text.substr(begin + 1, end - begin);
}

}  // namespace apod::os
