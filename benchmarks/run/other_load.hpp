#pragma once

/// \file
/// How busy other processes keep the machine: times may differ because of that, with the same code.

#include <cstddef>
#include <deque>
#include <optional>

namespace apod::run {

/// Processor time since some moment in the past, s.
struct ProcessorTimes {
  double now = 0;   ///< time of the reading
  double busy = 0;  ///< all processors together, including time taken by a hypervisor
  double own = 0;   ///< this process and its children
};

/// From /proc/stat and the process's clock; nothing if there is no such file. `running` is the time
/// used by children that still run, s.
std::optional<ProcessorTimes> read_processor_times(double running = 0);

/// The number of `processes` with a context on the GPU that are neither this one nor its `peers`.
std::size_t others_on_gpu(std::size_t processes, std::size_t peers);

class OtherLoad {
 public:
  /// Takes the first reading.
  OtherLoad() : OtherLoad(read_processor_times()) {}
  explicit OtherLoad(std::optional<ProcessorTimes> first);

  /// The mean number of processors that other processes kept busy since the last look, but over at
  /// least half a second, because the kernel counts in hundredths. Nothing if unknown.
  std::optional<double> look() { return look(read_processor_times()); }
  std::optional<double> look(std::optional<ProcessorTimes> now);

 private:
  std::deque<ProcessorTimes> looks_;  ///< the next look is compared with the oldest
};

}  // namespace apod::run
