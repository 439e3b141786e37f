#pragma once

#include "kernels/api/registry.hpp"

namespace apod::cuda {

/// Kernels from files, for the registry.
KernelFiles kernel_files();

}  // namespace apod::cuda
