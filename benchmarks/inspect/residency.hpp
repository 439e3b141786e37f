#pragma once

/// \file
/// How many blocks of a kernel a multiprocessor holds, from what an export says about its device.
/// Internal to inspect/.

#include <cstdint>

#include "kernels/api/activity.hpp"

namespace apod::inspect {

/// What a multiprocessor has; 0 where the export does not say.
struct MultiprocessorLimits {
  std::uint64_t registers = 0;
  std::uint64_t shared_bytes = 0;
  std::uint64_t warps = 0;
  std::uint64_t blocks = 0;
  std::uint64_t threads_per_warp = 0;
  int compute_major = 0;
};

/// Sets `resident_blocks` and `limiter` of a kernel, as CUDA's occupancy API would: each resource
/// is handed out in the units of the CUDA C++ Programming Guide ("Multiprocessor Level") and of the
/// occupancy calculator, which are registers by 256 a warp and in four partitions, shared memory by
/// 128 bytes (256 before compute capability 8) with 1 KiB a block for the system from 8 on. Both
/// stay unknown where a limit or the block is, and where no block fits.
void set_residency(const MultiprocessorLimits& limits, Activity& kernel);

}  // namespace apod::inspect
