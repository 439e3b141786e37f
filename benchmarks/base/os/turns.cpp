#include "benchmarks/base/os/turns.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>

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
    if (!file)
      throw std::runtime_error(path + ": can't write the journal: " + std::strerror(errno));
    struct stat status {};
    if (::fstat(file.get(), &status) == 0 && !S_ISREG(status.st_mode))
      throw std::runtime_error(path + ": can't write the journal: it is not a regular file");
    // What is in a journal is believed.
    if (status.st_uid != ::geteuid()) {
      throw std::runtime_error(
          path + ": the journal belongs to another user (remove it, or choose another output)");
    }
    if (!lock_soon(file))
      throw std::runtime_error(path + ": is in use by another run (choose another output)");
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

namespace {

constexpr auto pause = std::chrono::milliseconds(5);

// Bytes of the file. The next process waits in the door, so that no other one gets into the room
// before it. Processes that wait for the door try again and again: the first to try has it.
constexpr off_t door = 0;
constexpr off_t room = 1;

/// False where others have it.
bool set_lock(const Descriptor& file, short type, off_t byte, off_t count = 1) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = count;
  if (::fcntl(file.get(), F_SETLK, &lock) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  throw std::runtime_error(std::string("can't lock the file: ") + std::strerror(errno));
}

bool wait_for(const Descriptor& file, short type, off_t byte,
              const std::function<bool()>& cancelled) {
  while (!set_lock(file, type, byte)) {
    if (cancelled()) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace

Turns::Turns(const std::string& name) {
  std::error_code error;
  auto folder = std::filesystem::temp_directory_path(error);
  if (error) folder = "/tmp";
  path_ = folder / ("bench-" + std::to_string(::geteuid()) + "-" + name + ".turns");
  open();
  if (set_lock(file_, F_RDLCK, room)) give_back();  // throws where there are no locks
}

Turns::~Turns() {
  try {
    // The next one to come makes another file.
    const bool unused = file_ && set_lock(file_, F_WRLCK, door, 2) && is_still_at(path_, file_);
    if (unused) ::unlink(path_.c_str());
  } catch (const std::exception&) {
    return;  // it stays
  }
}

void Turns::open() {
  file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                            S_IRUSR | S_IWUSR));
  struct stat status {};
  if (!file_ || ::fstat(file_.get(), &status) != 0)
    throw std::runtime_error(path_ + ": " + std::strerror(errno));
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    throw std::runtime_error(path_ + ": is not a regular file of this user (remove it)");
}

bool Turns::take(bool alone, const std::function<bool()>& cancelled) {
  for (;;) {
    const bool inside = wait_for(file_, F_WRLCK, door, cancelled) &&
                        wait_for(file_, alone ? F_WRLCK : F_RDLCK, room, cancelled);
    set_lock(file_, F_UNLCK, door);
    if (!inside) return false;
    // Its last user may have removed it meanwhile.
    if (is_still_at(path_, file_)) return true;
    open();
  }
}

void Turns::give_back() {
  set_lock(file_, F_UNLCK, room);
}

}  // namespace apod::os
