#pragma once

/// \file
/// How busy other processes keep the machine: a reason why times differ that no change of code
/// explains.

#include <cstddef>
#include <deque>
#include <optional>

namespace apod::run {

/// Processor time since some moment in the past, s.
struct ProcessorTimes {
  double now = 0;   ///< the moment of the reading
  double busy = 0;  ///< of all processors together, time taken by a hypervisor included
  double own = 0;   ///< of this process and of those that it started
};

/// From /proc/stat and the process's clock; nothing where there is no such file. `running` is what
/// processes that this one started, and has not waited for, have used, s.
std::optional<ProcessorTimes> read_processor_times(double running = 0);

/// Other processes on the GPU, of all that have a context there: without this one and `peers` that
/// it started.
std::size_t others_on_gpu(std::size_t processes, std::size_t peers);

class OtherLoad {
 public:
  /// Looks for the first time.
  OtherLoad() : OtherLoad(read_processor_times()) {}
  explicit OtherLoad(std::optional<ProcessorTimes> first);

  /// Mean number of processors that other processes kept busy since the last look, or for half a
  /// second at least: the kernel counts in hundredths of one. Nothing where it can't be told.
  std::optional<double> look() { return look(read_processor_times()); }
  std::optional<double> look(std::optional<ProcessorTimes> now);

 private:
  std::deque<ProcessorTimes> looks_;  ///< the oldest is what the next look is compared with
};

}  // namespace apod::run
