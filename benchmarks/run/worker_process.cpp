#include "benchmarks/run/worker_process.hpp"

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
#include <system_error>
#include <vector>

#include "benchmarks/run/pipe.hpp"
#include "benchmarks/run/worker.hpp"

extern char** environ;

namespace apod::run {
namespace {

using Clock = std::chrono::steady_clock;

// A worker that hangs in the driver may take a while to die even of SIGKILL.
constexpr auto polite_exit = std::chrono::milliseconds(5000);
constexpr int cancel_check_ms = 100;
// A device that is shared or was asleep may take long to open; that is not the case's fault.
constexpr double open_limit_s = 60;

/// "0.25 s", "90 s": as it was asked for, without the last digits that a product of units leaves.
std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.12g s", seconds);
  return text.data();
}

}  // namespace

WorkerProcess::WorkerProcess() {
  Pipe input, output, errors;
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

WorkerProcess::~WorkerProcess() {
  ::close(input_);
  if (pid_ > 0 && !wait_for_end()) kill();
  ::close(output_);
  ::close(errors_);
}

std::optional<int> WorkerProcess::wait_for_end() {
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

void WorkerProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  // A process that is stuck in the driver does not die; it must not take this one with it.
  wait_for_end();
  pid_ = -1;
}

void WorkerProcess::read_errors() {
  std::array<char, 4096> buffer{};
  // So many reads at a time: a worker that prints without end must not hold up its own deadline.
  for (int reads = 0; reads < 64; ++reads) {
    const auto n = ::read(errors_, buffer.data(), buffer.size());
    if (n <= 0) return;
    error_tail_.append(buffer.data(), static_cast<std::size_t>(n));
    if (error_tail_.size() > 2 * error_tail_bytes) {
      error_tail_.erase(0, error_tail_.size() - error_tail_bytes);
    }
  }
}

WorkerProcess::Wait WorkerProcess::next_line(Clock::time_point deadline,
                                             const std::function<bool()>& cancelled,
                                             std::string& line) {
  for (;;) {
    if (const auto end = pending_.find('\n', searched_); end != std::string::npos) {
      line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      searched_ = 0;
      return Wait::line;
    }
    searched_ = pending_.size();
    if (cancelled()) return Wait::cancelled;
    if (Clock::now() >= deadline) return Wait::timeout;
    std::array<pollfd, 2> sources{{{output_, POLLIN, 0}, {errors_, POLLIN, 0}}};
    const int ready = ::poll(sources.data(), sources.size(), cancel_check_ms);
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

std::string WorkerProcess::how_it_died() {
  const auto ended = wait_for_end();
  if (!ended) kill();
  const int status = ended.value_or(0);
  pid_ = -1;
  read_errors();
  std::string reason;
  if (!ended) {
    reason = "the worker process closed its output and did not end";
  } else if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    reason = "the worker process was ended by signal " + std::to_string(number) + " (" +
             ::strsignal(number) + ")";
  } else {
    reason = "the worker process ended with exit code " + std::to_string(WEXITSTATUS(status));
  }
  // Its last line usually says more than the signal's number.
  auto tail = error_tail_;
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  if (const auto line = tail.rfind('\n'); line != std::string::npos) tail.erase(0, line + 1);
  if (!tail.empty()) reason += "; it said: " + tail;
  return reason;
}

WorkOutcome WorkerProcess::run(const report::WorkItem& item, double timeout_s,
                               const Listeners& listeners) {
  WorkOutcome outcome;
  outcome.stage = "start";
  const auto text = report::encode(item) + "\n";
  std::size_t written = 0;
  while (written < text.size()) {
    const auto n = ::write(input_, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;  // it died already; the read below says how
    written += static_cast<std::size_t>(n);
  }
  const auto from_now = [](double seconds) {
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  bool opened = false;
  double limit_s = open_limit_s;
  auto deadline = from_now(limit_s);
  std::string line;
  for (;;) {
    switch (next_line(deadline, listeners.cancelled, line)) {
      case Wait::cancelled:
        kill();
        outcome.cancelled = true;
        outcome.usable = false;
        return outcome;
      case Wait::timeout:
        kill();
        outcome.failed = "no end after " + seconds_text(limit_s) +
                         (opened ? " (measure: timeout)" : " of opening the device");
        outcome.usable = false;
        return outcome;
      case Wait::closed:
        outcome.failed = how_it_died();
        // A signal to the whole process group may have reached the worker first.
        outcome.cancelled = listeners.cancelled();
        outcome.usable = false;
        return outcome;
      case Wait::line:
        break;
    }
    const auto content = line.size() > 2 ? line.substr(2) : std::string();
    switch (line.empty() ? '?' : line[0]) {
      case 'S':
        outcome.stage = content;
        if (!opened && content != "open") {
          opened = true;
          limit_s = timeout_s;
          deadline = from_now(limit_s);
        }
        listeners.stage(content);
        break;
      case 'D':
        listeners.device(report::decode_device_facts(content));
        break;
      case 'T':
        listeners.traced(report::decode_trace(content));
        break;
      case 'M':
      case 'X':
        outcome.measurement = report::decode_measurement(content);
        outcome.usable = line[0] == 'M';
        return outcome;
      default:
        throw std::runtime_error("a worker sent what is no message: " + line.substr(0, 80));
    }
  }
}

}  // namespace apod::run
