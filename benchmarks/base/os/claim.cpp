#include "benchmarks/base/os/claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace apod::os {

bool lock(const Descriptor& file) {
  return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool is_still_at(const std::string& path, const Descriptor& file) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

namespace {

/// Who only asks whether it is held holds it for a moment.
bool lock_soon(const Descriptor& file) {
  constexpr int tries = 10;
  constexpr int interval_us = 10'000;
  for (int i = 1; !lock(file); ++i) {
    if (i == tries) return false;
    ::usleep(interval_us);
  }
  return true;
}

}  // namespace

bool is_claimed(const std::string& path) {
  for (;;) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) return false;
    if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
    // Its owner may have put another, which it holds, in its place since it was opened.
    if (is_still_at(path, file)) return false;
  }
}

Descriptor claim(const std::string& path) {
  for (;;) {
    Descriptor file(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    if (!file) {
      throw std::runtime_error(path + ": can't write the journal: " + std::strerror(errno));
    }
    struct stat status {};
    if (::fstat(file.get(), &status) == 0 && !S_ISREG(status.st_mode)) {
      throw std::runtime_error(path + ": can't write the journal: it is not a regular file");
    }
    // What is in a journal is believed.
    if (status.st_uid != ::geteuid()) {
      throw std::runtime_error(
          path + ": the journal belongs to another user (remove it, or choose another output)");
    }
    if (!lock_soon(file)) {
      throw std::runtime_error(path + ": in use by another run (choose another output)");
    }
    // Between open and lock its owner may have replaced or removed it: then this is no journal now.
    if (is_still_at(path, file)) return file;
  }
}

Claim::~Claim() {
  struct stat status {};
  // A journal with something in it is the unfinished work of an earlier run.
  const bool empty = file_ && ::fstat(file_.get(), &status) == 0 && status.st_size == 0;
  if (empty && is_still_at(path_, file_)) ::unlink(path_.c_str());
}

}  // namespace apod::os
