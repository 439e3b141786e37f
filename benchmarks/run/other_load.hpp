#pragma once

/// \file
/// How busy other processes keep the machine: a reason why times differ that no change of code
/// explains.

#include <deque>
#include <optional>

namespace apod::run {

/// Processor time since some moment in the past, s.
struct ProcessorTimes {
  double now = 0;   ///< the moment of the reading
  double busy = 0;  ///< of all processors together, time taken by a hypervisor included
  double own = 0;   ///< of this process
};

/// From /proc/stat and the process's clock; nothing where there is no such file.
std::optional<ProcessorTimes> read_processor_times();

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
