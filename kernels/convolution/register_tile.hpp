#pragma once

#include "kernels/api/workload.hpp"

namespace apod::convolution {

/// Enqueues `register_tile`, for masks that another variant has no better way with.
void convolve_registers(const Task& task);

}  // namespace apod::convolution
