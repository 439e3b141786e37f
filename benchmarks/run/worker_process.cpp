#include "benchmarks/run/worker_process.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "benchmarks/run/worker.hpp"

namespace apod::run {

namespace {

// A worker that hangs in the driver may take a while to die even of SIGKILL, and a tool writes what
// it saw.
constexpr auto polite_exit = std::chrono::milliseconds(5000);
constexpr auto polite_exit_of_tool = std::chrono::milliseconds(60000);
constexpr auto cancel_check = std::chrono::milliseconds(100);

os::Launch launch_of(const WorkerTool& tool, const std::optional<os::TemporaryFolder>& folder,
                     int input, int output, int errors) {
  const char* const ours = "/proc/self/exe";
  const bool is_plain = tool.words.empty();
  auto words = tool.words;
  auto variables = tool.variables;
  if (folder) variables.emplace_back("TMPDIR", folder->path());
  words.push_back(is_plain ? "bench" : std::filesystem::read_symlink(ours).string());
  words.emplace_back(worker_argument);
  // It has children, or is the tool's child.
  const bool has_group = !tool.words.empty() || tool.starts_programs;
  return {.words = std::move(words),
          .file = is_plain ? ours : "",
          // What a kernel or a library prints must not mix with a result on our standard output.
          .descriptors = {{input, STDIN_FILENO},
                          {errors, STDOUT_FILENO},
                          {errors, STDERR_FILENO},
                          {output, worker_output_fd}},
          // Google Benchmark takes flags from BENCHMARK_*: none of them is meant for a worker.
          .hidden_prefix = "BENCHMARK_",
          .variables = std::move(variables),
          .group = has_group ? os::Group::guarded : os::Group::ours};
}

}  // namespace

WorkerLink::WorkerLink(const WorkerTool& tool, Pipes pipes)
    : polite_exit_(tool.words.empty() ? polite_exit : polite_exit_of_tool),
      folder_(tool.starts_programs ? std::make_optional<os::TemporaryFolder>() : std::nullopt),
      child_(launch_of(tool, folder_, pipes.input.read.get(), pipes.output.write.get(),
                       pipes.errors.write.get())),
      input_(std::move(pipes.input.write)),
      output_(std::move(pipes.output.read)),
      errors_(std::move(pipes.errors.read)) {}

WorkerLink::~WorkerLink() {
  close_input();
  wait_for_end();  // the child is killed if it has not ended
}

void WorkerLink::send(const record::WorkItem& item) {
  os::write_all(input_.get(), record::encode(item) + "\n");
}

std::optional<int> WorkerLink::wait_for_end() {
  const auto deadline = Clock::now() + polite_exit_;
  for (;;) {
    const auto status = child_.status();
    if (status || Clock::now() > deadline) return status;
    errors_.read_some();  // a worker that prints on its way out must not block on a full pipe
    ::usleep(2000);
  }
}

void WorkerLink::kill() {
  child_.kill();
  wait_for_end();
}

WorkerLink::Wait WorkerLink::next_line(Clock::time_point deadline,
                                       const std::function<bool()>& cancelled, std::string& line) {
  for (bool looked = false;; looked = true) {
    if (auto next = output_.next()) {
      line = std::move(*next);
      return Wait::line;
    }
    if (!output_.open()) return Wait::closed;
    if (cancelled()) return Wait::cancelled;
    const auto now = Clock::now();
    if (looked && now >= deadline) return Wait::timeout;
    const auto patience = std::clamp<Clock::duration>(deadline - now, {}, cancel_check);
    const auto patience_ms = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
    std::array<pollfd, 2> sources{
        {{output_.descriptor(), POLLIN, 0}, {errors_.descriptor(), POLLIN, 0}}};
    const int ready = ::poll(sources.data(), sources.size(), static_cast<int>(patience_ms));
    if (ready < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "waiting for a worker");
    if (ready <= 0) continue;
    if (sources[1].revents != 0) errors_.read_some();
    if (sources[0].revents != 0) output_.read_some();
  }
}

std::string WorkerLink::how_it_ended() {
  const auto status = wait_for_end();
  std::string how;
  if (!status) {
    how = "closed its output, but did not end";
  } else if (WIFSIGNALED(*status) && WTERMSIG(*status) == SIGXCPU) {
    how = "used up its processor time";
  } else if (WIFSIGNALED(*status)) {
    const int number = WTERMSIG(*status);
    how = "was ended by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
  } else {
    how = "ended with exit code " + std::to_string(WEXITSTATUS(*status));
    if (WEXITSTATUS(*status) == 0) how += " before it sent a result";
  }
  return how + last_words();
}

std::string WorkerLink::last_words() {
  errors_.read_some();
  const auto line = os::last_line(errors_.text());
  return line.empty() ? "" : "; last line: " + line;
}

namespace {

using Clock = WorkerLink::Clock;

// A device that is shared, or was asleep, may take long to open. The case is not to blame.
constexpr double open_limit_s = 60;

/// "0.25 s", "90 s": as the user wrote it, without rounding errors in the last digits.
std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.12g s", seconds);
  return text.data();
}

}  // namespace

WorkOutcome WorkerProcess::run(const record::WorkItem& item, double timeout_s,
                               const Listeners& listeners) {
  WorkOutcome outcome;
  outcome.stage = "start";
  link_.send(item);
  const auto from_now = [](double seconds) {
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  bool opened = false;
  double limit_s = open_limit_s;
  auto deadline = from_now(limit_s);
  std::string line;
  for (;;) {
    switch (link_.next_line(deadline, listeners.cancelled, line)) {
      case WorkerLink::Wait::cancelled:
        link_.kill();
        outcome.cancelled = true;
        outcome.usable = false;
        return outcome;
      case WorkerLink::Wait::timeout:
        link_.kill();
        outcome.failed = "did not end within " + seconds_text(limit_s) +
                         (opened ? "" : " while opening the device");
        outcome.timed_out = opened;
        outcome.usable = false;
        return outcome;
      case WorkerLink::Wait::closed:
        outcome.failed = "the worker process " + link_.how_it_ended();
        // A signal to the whole process group may have reached the worker first.
        outcome.cancelled = listeners.cancelled();
        outcome.usable = false;
        return outcome;
      case WorkerLink::Wait::line:
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
        listeners.device(record::decode_device_facts(content));
        break;
      case 'T':
        listeners.traced(record::decode_trace(content));
        break;
      case 'M':
      case 'X':
        outcome.measurement = record::decode_measurement(content);
        outcome.usable = line[0] == 'M';
        return outcome;
      default:
        throw std::runtime_error("a worker sent an invalid message: " + line.substr(0, 80));
    }
  }
}

}  // namespace apod::run
