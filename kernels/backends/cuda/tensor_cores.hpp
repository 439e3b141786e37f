#pragma once

/// \file
/// Warp matrix instructions. For .cu files only.

#include <string>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/compiled_for.hpp"

// Code for devices older than Ampere lacks these instructions. It never runs: require_ampere
// refuses the launch beforehand, and without that it ends with an error instead of a wrong result.
#if !defined(__CUDA_ARCH__)
#define APOD_AMPERE(...) static_cast<void>(0)
#elif __CUDA_ARCH__ >= 800
#define APOD_AMPERE(...) asm(__VA_ARGS__)
#else
#define APOD_AMPERE(...) __trap()
#endif

namespace apod::cuda {

/// Throws BackendError{unsupported} if the current device is older than Ampere, or if `kernel` was
/// compiled for an older one: the driver also runs such code on a later device.
template <class Kernel>
void require_ampere(const std::string& who, Kernel* kernel) {
  int device = 0;
  int major = 0;
  APOD_CUDA(cudaGetDevice(&device));
  APOD_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  cudaFuncAttributes code{};
  if (major >= 8) APOD_CUDA(cudaFuncGetAttributes(&code, reinterpret_cast<const void*>(kernel)));
  const auto refused = why_not_ampere(major, code.ptxVersion);
  if (!refused.empty()) throw BackendError(BackendError::Code::unsupported, who + " " + refused);
}

/// `value` rounded to the nearest number that TF32 holds, in fp32's format; finite.
__device__ inline unsigned to_tf32(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  unsigned bits = 0;
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
#else
  // cvt.rna is four instructions there, most of them for infinities.
  return (__float_as_uint(value) + 0x1000) & 0xffffe000;
#endif
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

/// sum (16 x 8) += a (16 x 16) * b (16 x 8), in bf16 with sums in fp32. Thread 4 g + t of a warp
/// holds pairs of neighbours, the first in the low half (PTX ISA, fragments for mma.m16n8k16)
///  - of a: (g, 2 t), (g + 8, 2 t), (g, 2 t + 8), (g + 8, 2 t + 8), and the next column's
///  - of b: (2 t, g), (2 t + 8, g), and the next row's
///  - of sum: as multiply_tf32
__device__ inline void multiply_bf16(float (&sum)[4], const unsigned (&a)[4],
                                     const unsigned (&b)[2]) {
  APOD_AMPERE(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Both rounded to bf16, `first` in the low half.
__device__ inline unsigned pair_bf16(float first, float second) {
  unsigned both = 0;
  APOD_AMPERE("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}

}  // namespace apod::cuda
