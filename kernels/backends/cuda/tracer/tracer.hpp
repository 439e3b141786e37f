#pragma once

/// \file
/// In-process tracing of the device. cupti.cpp does it where the toolkit has CUPTI's headers,
/// none.cpp stands in elsewhere.

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "kernels/api/activity.hpp"

namespace apod::cuda {

/// Attaches to the driver and listens: while attached, every launch costs 1 to 3 us more. One at a
/// time can be attached in a process, and none beside another profiler.
class Tracer {
 public:
  Tracer();
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// Attaches until the end of this object. The machine code of a kernel can be seen only while its
  /// module is being loaded, which is before its first launch (CUDA_MODULE_LOADING=LAZY, the
  /// default); of the kernels that are loaded from here on, traces have the hash. Does nothing
  /// where it can't be done.
  void stay_attached();

  /// Runs `work`, waits for the device, and returns what ran on it meanwhile, and what the host did
  /// during `work`: its calls, waits and overheads, and after stay_attached() the NVTX ranges that
  /// began and ended. `device` is the current device's properties, for the occupancy. Is attached
  /// at least meanwhile. When nothing can be traced `work` runs all the same, and the one
  /// note says why. Throws what `work` throws.
  Trace trace(const cudaDeviceProp& device, const std::function<void()>& work);

 private:
  class Session;
  std::unique_ptr<Session> session_;  ///< null: attached for each trace anew
};

}  // namespace apod::cuda
