#pragma once

/// \file
/// The kernel that most habits launch in their own way.

#include <cstddef>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "tests/support/function_variant.hpp"

namespace apod::habits {

/// `depth` multiply-adds, each of which waits for the one before. With a = 1 and b = 0, which are
/// arguments so that no compiler knows it, they leave the value as it is.
template <class T>
__device__ float worked(float value, int depth, T a, T b) {
  T x = value;
  for (int step = 0; step < depth; ++step) x = x * a + b;
  return static_cast<float>(x);
}

/// Any grid will do: each thread takes every value that is a whole grid behind its last one.
template <class T>
__global__ void carry(const float* in, float* out, std::size_t n, int depth, T a, T b) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    out[i] = worked(in[i], depth, a, b);
  }
}

/// What a launch is about; the whole chunk, if nothing else is said.
struct Part {
  explicit Part(const Task& task)
      : in(static_cast<const float*>(task.input)),
        out(static_cast<float*>(task.output)),
        n(task.chunk.output_bytes / sizeof(float)),
        depth(static_cast<int>(task.params.integer("depth"))) {}

  const float* in;
  float* out;
  std::size_t n;
  int depth;
};

struct Shape {
  unsigned blocks;
  unsigned threads;
  std::size_t shared_bytes = 0;
};

/// One value a thread.
inline Shape full_grid(std::size_t n, unsigned threads = 256) {
  return {static_cast<unsigned>((n + threads - 1) / threads), threads};
}

template <class T = float>
void launch(const Part& part, Shape shape, cudaStream_t stream) {
  if (part.n == 0) return;
  carry<T><<<shape.blocks, shape.threads, shape.shared_bytes, stream>>>(part.in, part.out, part.n,
                                                                        part.depth, T{1}, T{0});
  cuda::launched("carry");
}

/// A variant of the workload `habits`.
struct Habit : test::FunctionRegistrar {
  Habit(const char* name, const char* summary, test::Compute compute)
      : Habit(name, summary, test::FunctionVariant(compute)) {}
  Habit(const char* name, const char* summary, test::FunctionVariant variant)
      : FunctionRegistrar("habits", name, BackendKind::cuda, summary, variant) {}
};

/// One whose compute waits for the device.
inline test::FunctionVariant waiting(test::Compute compute, bool scratch = false) {
  return test::FunctionVariant(compute, true, scratch);
}

}  // namespace apod::habits
