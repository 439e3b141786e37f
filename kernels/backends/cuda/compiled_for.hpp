#pragma once

/// \file
/// Compares what a kernel's code was compiled for with what it needs. Plain C++, so that it is
/// tested without a GPU.

#include <string>

namespace apod::cuda {

/// Why a kernel with instructions of Ampere can't run on a device of compute capability
/// `device_major`.x with code of `ptx_version` (cudaFuncAttributes: 75 for 7.5, also for machine
/// code). Empty: it can. The device alone is not enough: the driver compiles PTX of 7.5 for any
/// later device, and such code lacks these instructions.
inline std::string why_not_ampere(int device_major, int ptx_version) {
  if (device_major < 8) return "needs a device of compute capability 8.0 or later";
  if (ptx_version >= 80) return "";
  return "has no code for tensor cores: this build compiled the kernel for compute capability " +
         std::to_string(ptx_version / 10) + "." + std::to_string(ptx_version % 10) +
         "; build it with -DCMAKE_CUDA_ARCHITECTURES=80 or later";
}

}  // namespace apod::cuda
