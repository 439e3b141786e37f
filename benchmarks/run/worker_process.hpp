#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/measurement.hpp"
#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/descriptor.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/files/record/codec.hpp"

namespace apod::run {

/// A program that starts a worker, and watches what it does.
struct WorkerTool {
  std::vector<std::string> words{};  ///< before the worker's own; empty: there is none
  std::vector<std::pair<std::string, std::string>> variables{};  ///< that the worker sees
  /// Whether the worker starts programs. They end with it, and so does its folder for temporary
  /// files, however it ends. What starts such a worker may have no GPU open: see Guard.
  bool starts_programs = false;
};

/// A fresh process of this program that works for it, and the pipes to it; see worker.hpp for what
/// goes through them.
class WorkerLink {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts it. Throws std::system_error when the machine has no process or descriptor left.
  explicit WorkerLink(const WorkerTool& tool = {}) : WorkerLink(tool, Pipes{}) {}
  /// Ends it: politely by closing its input, by force when it does not go.
  ~WorkerLink();
  WorkerLink(const WorkerLink&) = delete;
  WorkerLink& operator=(const WorkerLink&) = delete;

  /// A worker that has died is not noticed here; next_line() says so.
  void send(const record::WorkItem& item);

  enum class Wait : std::uint8_t { line, closed, timeout, cancelled };
  /// Waits for the next line. Available lines are read even after the deadline.
  Wait next_line(Clock::time_point deadline, const std::function<bool()>& cancelled,
                 std::string& line);

  /// Ends its input, after which it ends once it has finished its work.
  void close_input() { input_.close(); }
  /// Returns once it is dead, or stuck in a driver.
  void kill();

  /// After Wait::closed: "was ended by signal 11 (Segmentation fault); it said: ...".
  std::string how_it_ended();
  /// "; it said: " and the last line that it printed; empty if there is none.
  std::string last_words();

  /// As of Child.
  double processor_seconds() const { return child_.processor_seconds(); }
  os::UseSoFar use() const { return child_.use(); }

 private:
  struct Pipes {
    os::Pipe input, output, errors;
  };
  WorkerLink(const WorkerTool& tool, Pipes pipes);
  /// Its wait status; nothing when it does not end within a few seconds.
  std::optional<int> wait_for_end();

  std::chrono::milliseconds polite_exit_;
  std::optional<os::TemporaryFolder> folder_;  ///< where it starts programs
  os::Child child_;
  os::Descriptor input_;   ///< takes work items
  os::LineReader output_;  ///< what happens
  os::TailReader errors_;  ///< its standard output and standard error
};

/// The outcome of one item.
struct WorkOutcome {
  std::optional<Measurement> measurement;  ///< absent: the process died or was killed
  std::string failed;  ///< why there is no measurement, e.g. "crashed (SIGSEGV)"
  std::string stage;   ///< the stage in which that happened
  bool cancelled = false;
  bool timed_out = false;
  bool usable = true;  ///< false: start a fresh process for the next item
};

/// A worker that does one item after another. Throws std::system_error if none can be started.
class WorkerProcess {
 public:
  struct Listeners {
    std::function<void(const std::string& stage)> stage;
    std::function<void(const DeviceFacts&)> device;
    std::function<bool()> cancelled;
    std::function<void(Trace)> traced;
  };
  explicit WorkerProcess(const WorkerTool& tool = {}) : link_(tool) {}
  /// Sends the item and waits for its outcome, at most `timeout_s` seconds once the device is open.
  WorkOutcome run(const record::WorkItem& item, double timeout_s, const Listeners& listeners);
  /// As of Child.
  os::UseSoFar use() const { return link_.use(); }

 private:
  WorkerLink link_;
};

}  // namespace apod::run
