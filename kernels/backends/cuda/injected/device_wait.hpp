#pragma once

/// \file
/// Waiting for the device within another program, which must not hang for it.

#include <cuda.h>

#include <chrono>
#include <optional>

#include "kernels/backends/cuda/injected/capture_driver.hpp"

namespace apod::cuda {

/// Waits until all work of this thread's context is done, and returns what the driver says of it.
/// Empty if that takes longer than `longest`, or if an earlier wait has not ended yet: the work may
/// wait for a launch that this thread has yet to make. A thread of its own waits on.
std::optional<CUresult> wait_for_device(const CaptureDriver& driver,
                                        std::chrono::milliseconds longest);

}  // namespace apod::cuda
