#include "benchmarks/base/os/turns.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "benchmarks/base/os/claim.hpp"

namespace apod::os {
namespace {

constexpr auto pause = std::chrono::milliseconds(5);

// Bytes of the file. Who is next stands in the door, so that nobody gets into the room before.
// Those who wait for the door try again and again: whoever tries first has it.
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
  throw std::runtime_error(std::string("no locks here: ") + std::strerror(errno));
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
  if (!file_ || ::fstat(file_.get(), &status) != 0) {
    throw std::runtime_error(path_ + ": " + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) {
    throw std::runtime_error(path_ + ": is not a file of this user");
  }
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
