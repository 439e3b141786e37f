#include "benchmarks/os/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "benchmarks/os/pipe.hpp"

namespace apod::os {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int check_ms = 100;
// It may have to end a worker, which is given some seconds of its own, and to write its result.
constexpr auto patience = std::chrono::seconds(20);

/// What the child does between fork and exec: only calls that are safe there (signal-safety(7)).
/// Where it can't become the program, the error number goes to `failure`.
[[noreturn]] void become(char* const* words, int errors, int failure, pid_t parent) {
  // A caller that is killed can't end what it started, and a second comparison would be measured
  // beside the rest of the first.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);  // it died before it could be heard
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDWR);
  const bool redirected = nothing >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 &&
                          ::dup2(nothing, STDOUT_FILENO) >= 0 && ::dup2(errors, STDERR_FILENO) >= 0;
  if (nothing > STDERR_FILENO) ::close(nothing);
  if (redirected) ::execvp(words[0], words);
  const int error = errno;
  [[maybe_unused]] const auto told = ::write(failure, &error, sizeof error);
  ::_exit(EXIT_FAILURE);
}

pid_t start(const std::vector<std::string>& arguments, int errors) {
  std::vector<char*> words;
  for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  Pipe failure;  // closed by an exec that worked
  const pid_t parent = ::getpid();
  // Not posix_spawn: it has no way to ask for a signal on the parent's death.
  const pid_t pid = ::fork();
  if (pid == 0) become(words.data(), errors, failure.write_end(), parent);
  int error = pid < 0 ? errno : 0;
  failure.close_write();
  while (pid > 0 && ::read(failure.read_end(), &error, sizeof error) < 0 && errno == EINTR) {
  }
  if (error == 0) return pid;
  if (pid > 0) ::waitpid(pid, nullptr, 0);
  const auto& program = arguments.front();
  const bool bare = error == ENOENT && program.find('/') == std::string::npos;
  throw std::runtime_error(program + ": can't be started: " + std::strerror(error) +
                           (bare ? " on the PATH (one in this folder is ./" + program + ")" : ""));
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Takes what there is; false at the end.
bool read_some(int descriptor, std::string& tail) {
  std::array<char, 4096> buffer{};
  const auto got = ::read(descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR;
  tail.append(buffer.data(), static_cast<std::size_t>(got));
  if (tail.size() > error_tail_bytes) tail.erase(0, tail.size() - error_tail_bytes);
  return got > 0;
}

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& arguments,
                       const std::function<bool()>& cancelled) {
  Pipe errors;
  const pid_t pid = start(arguments, errors.write_end());
  errors.close_write();
  ProgramEnd end;
  Clock::time_point kill_at{};
  bool open = true;
  for (;;) {
    int status = 0;
    const auto ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) {
      end.exit_code = exit_code_of(status);
      break;
    }
    if (ended < 0 && errno != EINTR) throw std::runtime_error("a program that ran is lost");
    if (!end.cancelled && cancelled()) {
      end.cancelled = true;
      kill_at = Clock::now() + patience;
      ::kill(pid, SIGTERM);
    }
    if (end.cancelled && Clock::now() > kill_at) ::kill(-pid, SIGKILL);
    pollfd waiting{errors.read_end(), POLLIN, 0};
    const int ready = ::poll(open ? &waiting : nullptr, open ? 1 : 0, check_ms);
    if (open && ready > 0) open = read_some(errors.read_end(), end.errors);
  }
  // What it wrote last may still be in the pipe; a grandchild that holds it open is not waited for.
  pollfd waiting{errors.read_end(), POLLIN, 0};
  while (open && ::poll(&waiting, 1, 0) > 0) open = read_some(errors.read_end(), end.errors);
  return end;
}

}  // namespace apod::os
