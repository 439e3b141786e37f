#include "benchmarks/base/os/child.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "benchmarks/base/text/plain.hpp"

extern char** environ;

namespace apod::os {
namespace {

// A process that is stuck in a driver does not die even of SIGKILL, and must not hold us up.
constexpr auto longest_death = std::chrono::seconds(5);
constexpr std::size_t stack_bytes = 1 << 16;

/// What become() needs, and what it reports.
struct Start {
  const char* file = nullptr;
  const char* folder = nullptr;  ///< null: the parent's
  char* const* words = nullptr;
  char* const* environment = nullptr;
  const std::vector<std::pair<int, int>>* descriptors = nullptr;
  pid_t parent = -1;
  pid_t group = -1;  ///< to join; 0: its own; -1: the parent's
  sigset_t signals{};
  int error = 0;
};

/// Handlers of the parent must not run in the child, and what the parent ignores for its own sake
/// (a full disk, a closed pipe) is no business of another program.
void reset_signals() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0) continue;
    const bool ours = number == SIGPIPE || number == SIGXFSZ || action.sa_handler != SIG_IGN;
    if (!ours || action.sa_handler == SIG_DFL) continue;
    action = {};
    ::sigaction(number, &action, nullptr);
  }
}

/// Gives descriptors the numbers that they have in the program.
bool place(std::vector<std::pair<int, int>>::const_iterator begin,
           std::vector<std::pair<int, int>>::const_iterator end) {
  for (; begin != end; ++begin) {
    const auto [ours, number] = *begin;
    // dup2 of a descriptor onto itself would leave it closed by exec.
    const bool placed = ours == number ? ::fcntl(ours, F_SETFD, 0) == 0 : ::dup2(ours, number) >= 0;
    if (!placed) return false;
  }
  return true;
}

bool close_standard_streams(const std::vector<std::pair<int, int>>& named) {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool is_named = std::any_of(named.begin(), named.end(),
                                      [&](const auto& pair) { return pair.second == number; });
    if (is_named) continue;
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) return false;
    const bool placed =
        nothing == number ? ::fcntl(nothing, F_SETFD, 0) == 0 : ::dup2(nothing, number) >= 0;
    if (nothing != number) ::close(nothing);
    if (!placed) return false;
  }
  return true;
}

/// Turns the child into the program. The parent stands still meanwhile, and its memory is ours: see
/// vfork(2) for what may be done here.
int become(void* argument) {
  auto& start = *static_cast<Start*>(argument);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) ::_exit(EXIT_FAILURE);  // it died before that was heard
  reset_signals();
  const auto& named = *start.descriptors;
  const bool ready = (start.group < 0 || ::setpgid(0, start.group) == 0) &&
                     (start.folder == nullptr || ::chdir(start.folder) == 0) &&
                     place(named.begin(), named.end()) && close_standard_streams(named) &&
                     ::sigprocmask(SIG_SETMASK, &start.signals, nullptr) == 0;
  // Not execvp: it runs a damaged program as a shell script.
  if (ready) ::execve(start.file, start.words, start.environment);
  start.error = errno;
  ::_exit(EXIT_FAILURE);
}

/// Like vfork: without a copy of this process, which may have much memory, or a GPU. Unlike
/// posix_spawn the child can ask for a signal on our death before it is another program.
pid_t start_program(Start& start) {
  std::vector<std::byte> stack(stack_bytes);
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &start.signals);
  const pid_t pid =
      ::clone(become, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
  if (pid < 0) start.error = errno;
  ::pthread_sigmask(SIG_SETMASK, &start.signals, nullptr);
  return pid;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// "NAME=value" of each variable that the program sees.
std::vector<std::string> environment_of(const Launch& launch) {
  const auto& prefix = launch.hidden_prefix;
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('='));
    const bool hidden = !prefix.empty() && text.starts_with(prefix);
    const bool replaced = std::any_of(launch.variables.begin(), launch.variables.end(),
                                      [&](const auto& variable) { return variable.first == name; });
    if (!hidden && !replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : launch.variables) all.push_back(name + "=" + value);
  return all;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::string file_of(const Launch& launch) {
  if (!launch.file.empty()) return launch.file;
  const auto& name = launch.words.front();
  if (name.find('/') != std::string::npos) return name;
  auto file = find_program(name);
  if (!file.empty()) return file;
  throw CannotStart(name + ": can't be started: " + std::strerror(ENOENT) +
                        " on the PATH (for a program in this folder, write ./" + name + ")",
                    true);
}

}  // namespace

Child::Child(const Launch& launch) {
  const auto file = file_of(launch);
  const auto words = pointers_to(launch.words);
  const auto variables = environment_of(launch);
  const auto environment = pointers_to(variables);
  Start start;
  start.file = file.c_str();
  if (!launch.folder.empty()) start.folder = launch.folder.c_str();
  start.words = words.data();
  start.environment = environment.data();
  start.descriptors = &launch.descriptors;
  start.parent = ::getpid();
  if (launch.group == Group::own) start.group = 0;
  if (launch.group == Group::guarded) {
    // A child of a child gets no signal of our death by itself.
    guard_.emplace([] { ::kill(0, SIGKILL); });
    start.group = leader_ = guard_->pid();
  }
  begin_ = std::chrono::steady_clock::now();
  pid_ = start_program(start);
  if (start.error == 0) {
    if (launch.group == Group::own) leader_ = pid_;
    // Not until it has been waited for is its number another's.
    end_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    return;
  }
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  kill_group();
  if (pid_ < 0)
    throw std::system_error(start.error, std::generic_category(), "can't start a process");
  const auto place = std::filesystem::path(launch.folder) / file;
  if (start.error == ENOENT && ::access(place.c_str(), F_OK) == 0) {
    throw CannotStart(launch.words.front() +
                          ": can't be started: its interpreter, which its first line names behind "
                          "#!, does not exist",
                      true);
  }
  throw CannotStart(
      launch.words.front() + ": can't be started: " + std::strerror(start.error) +
          (start.error == ENOEXEC ? " (if it is a script, begin it with a line such as #!/bin/sh)"
                                  : ""),
      start.error == ENOENT);
}

Child::~Child() {
  if (status()) return;
  kill();
  const auto deadline = std::chrono::steady_clock::now() + longest_death;
  while (!status() && std::chrono::steady_clock::now() < deadline) ::usleep(2000);
}

std::optional<int> Child::status() {
  if (status_) return status_;
  siginfo_t end{};
  const int answer = ::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT);
  if (answer == 0 ? end.si_pid == 0 : errno == EINTR) return std::nullopt;
  usage_.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  // As long as it was not waited for, its number is not another's.
  kill_group();
  int status = 0;
  constexpr int unknown = 127 << 8;  // if the caller ignores SIGCHLD
  rusage used{};
  status_ = ::wait4(pid_, &status, 0, &used) == pid_ ? status : unknown;
  usage_.user_s = seconds_of(used.ru_utime);
  usage_.system_s = seconds_of(used.ru_stime);
  usage_.peak_bytes = 1024.0 * static_cast<double>(used.ru_maxrss);
  return status_;
}

void Child::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

void Child::kill() const {
  if (status_) return;
  ::kill(leader_ > 0 ? -leader_ : pid_, SIGKILL);
}

void Child::kill_group() const {
  if (leader_ > 0) ::kill(-leader_, SIGKILL);
}

namespace {

/// The numbers of /proc/PID/stat, indexed as proc_pid_stat(5) counts its fields; the first is 4.
/// Empty if there is no such process.
std::vector<double> stat_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;
  std::getline(file, text);
  // The second field is a name, which may hold anything.
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string state;
  fields >> state;
  std::vector<double> numbers(4);
  for (double number = 0; fields >> number;) numbers.push_back(number);
  constexpr std::size_t last = 24;
  return numbers.size() > last ? numbers : std::vector<double>();
}

double seconds_of(double ticks) {
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// Of the children that a process has waited for.
double seconds_of_children(pid_t pid) {
  const auto stat = stat_of(std::to_string(pid));
  return stat.empty() ? 0 : seconds_of(stat[16] + stat[17]);
}

}  // namespace

double Child::processor_seconds() const {
  clockid_t clock{};
  timespec time{};
  if (status_ || ::clock_getcpuclockid(pid_, &clock) != 0) return 0;
  if (::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9 +
         seconds_of_children(pid_);
}

UseSoFar Child::use() const {
  if (status_) return {usage_.user_s + usage_.system_s, 0};
  UseSoFar use;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
       it.increment(error)) {
    const auto name = it->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto stat = stat_of(name);
    if (stat.empty() || (leader_ > 0 ? stat[5] != leader_ : name != std::to_string(pid_))) continue;
    use.processor_s += seconds_of(stat[14] + stat[15] + stat[16] + stat[17]);
    use.resident_bytes += stat[24] * static_cast<double>(::sysconf(_SC_PAGESIZE));
  }
  return use;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string find_program(const std::string& name, const std::vector<std::string>& more) {
  const char* path = std::getenv("PATH");
  std::vector<std::string> folders;
  for (auto& folder : text::split(path == nullptr ? "" : path, ':')) {
    // An empty one would be the working folder, whose programs were not asked for.
    if (!folder.empty()) folders.push_back(std::move(folder));
  }
  folders.insert(folders.end(), more.begin(), more.end());
  for (const auto& folder : folders) {
    auto file = folder + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

std::string find_in_toolkit(const std::string& name) {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* home = std::getenv(variable);
    if (home != nullptr && *home != '\0') folders.push_back(std::string(home) + "/bin");
  }
  folders.emplace_back("/usr/local/cuda/bin");
  return find_program(name, folders);
}

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
