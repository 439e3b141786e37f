#pragma once

/// \file
/// One operation on two arrays per launch, as array libraries evaluate an expression. For .cu files
/// only.

#include <cstddef>

#include "kernels/backends/cuda/check.hpp"

namespace apod::elementwise {

struct Subtract {
  __device__ float operator()(float a, float b) const { return a - b; }
};
struct Multiply {
  __device__ float operator()(float a, float b) const { return a * b; }
};
struct SquareDifference {
  __device__ float operator()(float a, float b) const {
    const float difference = a - b;
    return difference * difference;
  }
};

template <class Operation>
__device__ float apply(Operation operation, float a, float b) {
  return operation(a, b);
}
template <class Operation>
__device__ float4 apply(Operation operation, float4 a, float4 b) {
  return {operation(a.x, b.x), operation(a.y, b.y), operation(a.z, b.z), operation(a.w, b.w)};
}

/// How many values of fp32 a Vector holds.
template <class Vector>
inline constexpr std::size_t lanes = sizeof(Vector) / sizeof(float);

/// Whether every array of a list can be read by 16 bytes at once. The first begins 256-byte
/// aligned, each other one at the end of the previous one.
inline bool in_quads(std::size_t size) {
  return size % lanes<float4> == 0;
}

inline constexpr unsigned threads = 256;

/// One vector per thread. Stores are not marked as streaming: a temporary is read again at once.
template <class Operation, class Vector>
__global__ void __launch_bounds__(threads)
    pairwise(const Vector* a, const Vector* b, Vector* out, std::size_t count) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < count) out[i] = apply(Operation{}, __ldg(a + i), __ldg(b + i));
}

template <class Operation, class Vector>
void launch_as(const float* a, const float* b, float* out, std::size_t size, cudaStream_t stream) {
  const std::size_t count = size / lanes<Vector>;
  const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
  pairwise<Operation, Vector><<<blocks, threads, 0, stream>>>(
      reinterpret_cast<const Vector*>(a), reinterpret_cast<const Vector*>(b),
      reinterpret_cast<Vector*>(out), count);
  cuda::launched("pairwise");
}

/// Enqueues out = operation(a, b) over `size` values, at least one. `a`, `b` and `out` are arrays
/// of a list, or aligned like its first.
template <class Operation>
void launch(const float* a, const float* b, float* out, std::size_t size, cudaStream_t stream) {
  in_quads(size) ? launch_as<Operation, float4>(a, b, out, size, stream)
                 : launch_as<Operation, float>(a, b, out, size, stream);
}

}  // namespace apod::elementwise
