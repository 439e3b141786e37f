#include "benchmarks/base/os/guard.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace apod::os {
namespace {

[[noreturn]] void stand_guard(int life, const std::function<void()>& deed) {
  if (::setpgid(0, 0) != 0 || ::dup2(life, STDIN_FILENO) < 0) ::_exit(EXIT_FAILURE);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_IGN);
  ::prctl(PR_SET_NAME, "apod guard");
  // Our copies of other descriptors would hide from their readers that all writers are gone.
  if (::close_range(1, ~0U, 0) != 0) {
    for (int file = 1; file < ::sysconf(_SC_OPEN_MAX); ++file) ::close(file);
  }
  char nothing = 0;
  while (::read(STDIN_FILENO, &nothing, 1) < 0 && errno == EINTR) {
  }
  deed();
  ::_exit(EXIT_FAILURE);
}

}  // namespace

Guard::Guard(const std::function<void()>& deed) {
  Pipe life;
  pid_ = ::fork();
  if (pid_ == 0) stand_guard(life.read.get(), deed);
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "can't start a process");
  ::setpgid(pid_, pid_);  // parent or child, whichever runs first
  life_ = std::move(life.write);
}

Guard::~Guard() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace apod::os
