#pragma once

/// \file
/// In-process tracing of the device. cupti.cpp does it where the toolkit has CUPTI's headers,
/// none.cpp stands in elsewhere.

#include <cuda_runtime_api.h>

#include <functional>

#include "kernels/api/activity.hpp"

namespace apod::cuda {

/// Runs `work`, waits for the device, and returns the kernels, copies and memsets that ran between,
/// by start time. `device` is the current device's properties, for the occupancy. Attaches to the
/// driver before and detaches afterwards: while attached, every launch costs 1 to 3 us more. When
/// nothing can be traced `work` runs all the same, and the one note says why.
/// Throws what `work` throws.
Trace trace_device(const cudaDeviceProp& device, const std::function<void()>& work);

}  // namespace apod::cuda
