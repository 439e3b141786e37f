#include "benchmarks/run/worker_process.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>

namespace apod::run {
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
        outcome.failed = "no end after " + seconds_text(limit_s) +
                         (opened ? " (measure: timeout)" : " of opening the device");
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
        throw std::runtime_error("a worker sent something that is not a message: " +
                                 line.substr(0, 80));
    }
  }
}

}  // namespace apod::run
