#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "benchmarks/base/os/child.hpp"
#include "benchmarks/base/os/pipe_reader.hpp"
#include "benchmarks/files/record/codec.hpp"

namespace apod::run {

/// A fresh process of this program that works for it, and the pipes to it; see worker.hpp for what
/// goes through them.
class WorkerLink {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts it. Throws std::system_error when the machine has no process or descriptor left.
  WorkerLink() : WorkerLink(Pipes{}) {}
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

  /// Processor time that it has used, s; 0 if unknown.
  double processor_seconds() const { return child_.processor_seconds(); }

 private:
  struct Pipes {
    os::Pipe input, output, errors;
  };
  explicit WorkerLink(Pipes pipes);
  /// Its wait status; nothing when it does not end within a few seconds.
  std::optional<int> wait_for_end();

  os::Child child_;
  os::Descriptor input_;   ///< takes work items
  os::LineReader output_;  ///< what happens
  os::TailReader errors_;  ///< its standard output and standard error
};

}  // namespace apod::run
