#pragma once

/// \file
/// How many blocks of a kernel a multiprocessor holds, from what an export says about its device.
/// Internal to look/.

#include "kernels/api/process_tracer.hpp"

namespace apod::look {

/// Sets `resident_blocks` and `limiter` of a kernel, as CUDA's occupancy API would: each resource
/// is handed out in the units of the CUDA C++ Programming Guide ("Multiprocessor Level") and of the
/// occupancy calculator, which are registers by 256 a warp and in four partitions, shared memory by
/// 128 bytes (256 before compute capability 8) with 1 KiB a block for the system from 8 on. Both
/// stay unknown where a limit or the block is, and where no block fits.
void set_residency(const MultiprocessorLimits& limits, Activity& kernel);

}  // namespace apod::look
