#pragma once

/// \file
/// In-process tracing of the device. cupti.cpp does it if the toolkit has CUPTI's headers; none.cpp
/// replaces it otherwise.

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "kernels/api/activity.hpp"

namespace apod::cuda {

/// Attaches to the driver and listens: while attached, every launch costs 1 to 3 us more. Only one
/// can be attached in a process, and none together with another profiler.
class Tracer {
 public:
  Tracer();
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// Attaches until the end of this object. The machine code of a kernel can be read only while its
  /// module is being loaded, which is before its first launch (CUDA_MODULE_LOADING=LAZY, the
  /// default); traces have the hash of the kernels that are loaded from here on. Does nothing if it
  /// is impossible.
  void stay_attached();
  /// Ends what stay_attached began: whoever reads counters needs CUPTI to itself.
  void detach();

  /// Runs `work`, waits for the device, and returns the device's operations and the host's part
  /// during `work`: its calls, waits and overheads, and after stay_attached() the NVTX ranges that
  /// began and ended. `device` is the current device's properties, for the occupancy. Is attached
  /// at least meanwhile. If nothing can be traced `work` runs all the same, and the one note says
  /// why. Throws what `work` throws.
  Trace trace(const cudaDeviceProp& device, const std::function<void()>& work);

 private:
  class Session;
  std::unique_ptr<Session> session_;  ///< null: attached anew for each trace
};

}  // namespace apod::cuda
