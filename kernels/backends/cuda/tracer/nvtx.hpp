#pragma once

/// \file
/// The way of this program's own NVTX ranges to CUPTI, in the same process.

#include "kernels/backends/cuda/tracer/cupti_library.hpp"

namespace apod::cuda {

/// Shows CUPTI the program's NVTX ranges from now on; they cost something only while they are
/// recorded. Call it while CUPTI is attached. Only the first call in a process has an effect,
/// because CUPTI forgets the ranges when it is finalised. Does nothing if the ranges belong to
/// another tool (nsys, ncu) or CUPTI refuses them.
void show_nvtx_ranges(const CuptiLibrary& cupti);

}  // namespace apod::cuda
