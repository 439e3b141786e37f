#pragma once

/// \file
/// Warp matrix instructions. For .cu files only.

#include <string>

#include "kernels/backends/cuda/check.hpp"

// Older devices than an Ampere have none of these instructions: there the code is empty, and the
// launch is refused before, by require_ampere.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define APOD_AMPERE(...) asm(__VA_ARGS__)
#else
#define APOD_AMPERE(...) static_cast<void>(0)
#endif

namespace apod::cuda {

/// Throws BackendError{unsupported} where the current device is older; `who` needs a newer one.
inline void require_ampere(const std::string& who) {
  int device = 0;
  int major = 0;
  APOD_CUDA(cudaGetDevice(&device));
  APOD_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (major < 8) {
    throw BackendError(BackendError::Code::unsupported,
                       who + " needs a device of compute capability 8.0 or later");
  }
}

/// sum (16 x 8) += a (16 x 8) * b (8 x 8), in TF32 with sums in fp32. Thread 4 g + t of a warp
/// holds (PTX ISA, matrix fragments for mma.m16n8k8)
///  - of a: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)
///  - of b: (t, g), (t + 4, g)
///  - of sum: (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1)
__device__ inline void multiply_tf32(float (&sum)[4], const unsigned (&a)[4],
                                     const unsigned (&b)[2]) {
  APOD_AMPERE(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace apod::cuda
