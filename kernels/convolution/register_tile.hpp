#pragma once

#include "kernels/api/workload.hpp"

namespace apod::convolution {

/// Enqueues `register_tile`, for masks that another variant can't handle better.
void convolve_registers(const Task& task);

}  // namespace apod::convolution
