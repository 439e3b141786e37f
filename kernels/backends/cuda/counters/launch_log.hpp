#pragma once

/// \file
/// The kernels that a piece of work launches. The profiler numbers what it counts and knows no
/// names.

#include <cuda.h>

#include <functional>
#include <vector>

#include "kernels/api/counters.hpp"
#include "kernels/backends/cuda/tracer/cupti_library.hpp"

namespace apod::cuda {

struct LaunchLog {
  std::vector<KernelCounters> launches;  ///< in order; without values
  CUcontext context = nullptr;           ///< of the launches; null: there were none
};

/// Runs `work` and returns its launches of single kernels; those of graphs are not seen. Throws
/// CountersUnavailable if another profiler is attached, and what `work` throws.
LaunchLog launches_of(const CuptiLibrary& cupti, const std::function<void()>& work);

}  // namespace apod::cuda
