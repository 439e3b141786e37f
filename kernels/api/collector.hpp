#pragma once

#include "kernels/api/workload.hpp"

namespace apod {

/// A Variant whose `compute` leaves its output elsewhere than in task.output.
class Collector {
 public:
  virtual ~Collector() = default;
  /// Enqueues what brings the output to task.output. Called outside of every time, before an output
  /// is downloaded in kernel scope.
  virtual void collect(const Task& task) const = 0;
};

}  // namespace apod
