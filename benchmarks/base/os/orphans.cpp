#include "benchmarks/base/os/orphans.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace apod::os {
namespace {

// As with a child, one that is stuck in a driver must not hold us up.
constexpr auto longest_wait = std::chrono::seconds(5);

/// Our children, of all threads; none where the kernel does not list them.
std::set<pid_t> children() {
  std::set<pid_t> all;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end;
       it.increment(error)) {
    std::ifstream list(it->path() / "children");
    for (pid_t pid = 0; list >> pid;) all.insert(pid);
  }
  return all;
}

}  // namespace

Orphans::Orphans() : ours_(children()) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Orphans::~Orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

std::size_t Orphans::end() {
  std::set<pid_t> seen;
  std::size_t left_behind = 0;
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  // The death of one makes orphans of its children.
  for (bool left = true; left && std::chrono::steady_clock::now() < deadline;) {
    left = false;
    for (const pid_t pid : children()) {
      if (ours_.contains(pid)) continue;
      left = true;
      siginfo_t state{};
      ::waitid(P_PID, static_cast<id_t>(pid), &state, WEXITED | WNOHANG | WNOWAIT);
      const bool ended = state.si_pid != 0 && state.si_code == CLD_EXITED;
      if (seen.insert(pid).second && !ended) ++left_behind;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, WNOHANG);
    }
    if (left) ::usleep(1000);
  }
  return left_behind;
}

}  // namespace apod::os
