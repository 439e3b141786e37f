#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "benchmarks/model/measurement.hpp"
#include "benchmarks/report/codec.hpp"

namespace apod::run {

/// What a worker made of one item.
struct WorkOutcome {
  std::optional<Measurement> measurement;  ///< absent: the process died or was killed
  std::string failed;  ///< why there is no measurement, e.g. "crashed (SIGSEGV)"
  std::string stage;   ///< the stage in which that happened
  bool cancelled = false;
  bool usable = true;  ///< false: start a fresh process for the next item
};

/// The parent's handle on one worker: a fresh process of this program.
class WorkerProcess {
 public:
  /// Starts it. Throws std::system_error when the machine has no process or descriptor left.
  WorkerProcess();
  /// Ends it: politely by closing its input, by force when it does not go.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  struct Listeners {
    std::function<void(const std::string& stage)> stage;
    std::function<void(const DeviceFacts&)> device;
    std::function<bool()> cancelled;
    std::function<void(Trace)> traced;
  };
  /// Sends the item and waits for its outcome, at most `timeout_s` seconds once the device is open.
  WorkOutcome run(const report::WorkItem& item, double timeout_s, const Listeners& listeners);

 private:
  enum class Wait : std::uint8_t { line, closed, timeout, cancelled };
  Wait next_line(std::chrono::steady_clock::time_point deadline,
                 const std::function<bool()>& cancelled, std::string& line);
  void read_errors();
  std::string how_it_died();
  /// Its wait status; nothing when it does not end within a few seconds.
  std::optional<int> wait_for_end();
  void kill();

  pid_t pid_ = -1;
  int input_ = -1;   ///< we write work items
  int output_ = -1;  ///< we read lines
  int errors_ = -1;  ///< the worker's standard output and standard error
  std::string pending_;
  std::size_t searched_ = 0;  ///< so much of `pending_` holds no end of a line
  std::string error_tail_;    ///< the last of what the worker printed
};

}  // namespace apod::run
