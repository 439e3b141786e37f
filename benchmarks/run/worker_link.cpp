#include "benchmarks/run/worker_link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <system_error>
#include <utility>
#include <vector>

#include "benchmarks/os/pipe.hpp"
#include "benchmarks/run/worker.hpp"

extern char** environ;

namespace apod::run {
namespace {

// A worker that hangs in the driver may take a while to die even of SIGKILL.
constexpr auto polite_exit = std::chrono::milliseconds(5000);
constexpr auto cancel_check = std::chrono::milliseconds(100);

}  // namespace

WorkerLink::WorkerLink() {
  os::Pipe input, output, errors;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read_end(), STDIN_FILENO);
  // What a kernel or a library prints must not mix with a result on our standard output.
  posix_spawn_file_actions_adddup2(&actions, errors.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write_end(), STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), worker_output_fd);
  std::string program = "bench";
  std::string argument = worker_argument;
  std::array<char*, 3> arguments{program.data(), argument.data(), nullptr};
  // Google Benchmark takes flags from BENCHMARK_*: none of them is meant for a worker.
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "BENCHMARK_", 10) != 0) environment.push_back(*entry);
  }
  environment.push_back(nullptr);
  const int error = ::posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, arguments.data(),
                                  environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "can't start a worker process");
  }
  input_ = input.release_write();
  output_ = output.release_read();
  errors_ = errors.release_read();
  ::fcntl(errors_, F_SETFL, O_NONBLOCK);
}

WorkerLink::~WorkerLink() {
  close_input();
  if (pid_ > 0 && !wait_for_end()) kill();
  ::close(output_);
  ::close(errors_);
}

void WorkerLink::close_input() {
  if (input_ >= 0) ::close(std::exchange(input_, -1));
}

void WorkerLink::send(const record::WorkItem& item) {
  const auto text = record::encode(item) + "\n";
  std::size_t written = 0;
  while (written < text.size()) {
    const auto n = ::write(input_, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    written += static_cast<std::size_t>(n);
  }
}

std::optional<int> WorkerLink::wait_for_end() {
  const auto deadline = Clock::now() + polite_exit;
  int status = 0;
  for (;;) {
    const auto ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) return status;
    if (ended < 0 && errno != EINTR) return std::nullopt;
    if (Clock::now() > deadline) return std::nullopt;
    read_errors();  // a worker that prints on its way out must not block on a full pipe
    ::usleep(2000);
  }
}

void WorkerLink::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  // A process that is stuck in the driver does not die; it must not take this one with it.
  wait_for_end();
  pid_ = -1;
}

void WorkerLink::read_errors() {
  std::array<char, 4096> buffer{};
  // So many reads at a time: a worker that prints without end must not hold up its own deadline.
  for (int reads = 0; reads < 64; ++reads) {
    const auto n = ::read(errors_, buffer.data(), buffer.size());
    if (n <= 0) return;
    error_tail_.append(buffer.data(), static_cast<std::size_t>(n));
    if (error_tail_.size() > 2 * os::error_tail_bytes) {
      error_tail_.erase(0, error_tail_.size() - os::error_tail_bytes);
    }
  }
}

WorkerLink::Wait WorkerLink::next_line(Clock::time_point deadline,
                                       const std::function<bool()>& cancelled, std::string& line) {
  for (bool looked = false;; looked = true) {
    if (const auto end = pending_.find('\n', searched_); end != std::string::npos) {
      line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      searched_ = 0;
      return Wait::line;
    }
    searched_ = pending_.size();
    if (cancelled()) return Wait::cancelled;
    const auto now = Clock::now();
    if (looked && now >= deadline) return Wait::timeout;
    const auto patience = std::clamp<Clock::duration>(deadline - now, {}, cancel_check);
    std::array<pollfd, 2> sources{{{output_, POLLIN, 0}, {errors_, POLLIN, 0}}};
    const auto patience_ms = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
    const int ready = ::poll(sources.data(), sources.size(), static_cast<int>(patience_ms));
    if (ready < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "waiting for a worker");
    }
    if (ready <= 0) continue;
    if (sources[1].revents != 0) read_errors();
    if (sources[0].revents == 0) continue;
    std::array<char, 65536> buffer{};
    const auto n = ::read(output_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Wait::closed;
    pending_.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::string WorkerLink::how_it_ended() {
  const auto ended = wait_for_end();
  if (!ended) kill();
  const int status = ended.value_or(0);
  pid_ = -1;
  std::string how = "ended with exit code " + std::to_string(WEXITSTATUS(status));
  if (WEXITSTATUS(status) == 0) how += ", before it had answered";
  if (!ended) {
    how = "closed its output and did not end";
  } else if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    how = "was ended by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
  }
  return how + last_words();
}

std::string WorkerLink::last_words() {
  read_errors();
  auto tail = error_tail_;
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  if (const auto line = tail.rfind('\n'); line != std::string::npos) tail.erase(0, line + 1);
  return tail.empty() ? "" : "; it said: " + tail;
}

double WorkerLink::processor_seconds() const {
  clockid_t clock{};
  timespec time{};
  if (pid_ <= 0 || ::clock_getcpuclockid(pid_, &clock) != 0) return 0;
  if (::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace apod::run
