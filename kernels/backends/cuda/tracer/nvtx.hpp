#pragma once

/// \file
/// The way of this program's own NVTX ranges to CUPTI, in the same process.

#include "kernels/backends/cuda/tracer/cupti_library.hpp"

namespace apod::cuda {

/// Shows CUPTI the program's NVTX ranges from now on; they cost something only while they are
/// recorded. To be called while CUPTI is attached, and to any effect only once in a process: what
/// CUPTI knows of the ranges does not outlive its being finalised. Does nothing where the ranges
/// are another tool's (nsys, ncu) or CUPTI will not have them.
void show_nvtx_ranges(const CuptiLibrary& cupti);

}  // namespace apod::cuda
