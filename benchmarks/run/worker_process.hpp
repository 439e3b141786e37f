#pragma once

#include <functional>
#include <optional>
#include <string>

#include "benchmarks/base/measurement.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/run/worker_link.hpp"

namespace apod::run {

/// The outcome of one item.
struct WorkOutcome {
  std::optional<Measurement> measurement;  ///< absent: the process died or was killed
  std::string failed;  ///< why there is no measurement, e.g. "crashed (SIGSEGV)"
  std::string stage;   ///< the stage in which that happened
  bool cancelled = false;
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
  /// Sends the item and waits for its outcome, at most `timeout_s` seconds once the device is open.
  WorkOutcome run(const record::WorkItem& item, double timeout_s, const Listeners& listeners);

 private:
  WorkerLink link_;
};

}  // namespace apod::run
