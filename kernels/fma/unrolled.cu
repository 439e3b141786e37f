#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/fma/problem.hpp"

namespace apod::fma {
namespace {

// Small blocks and few values per thread: many waves of blocks, so that the last one costs little.
constexpr unsigned threads = 128;
constexpr unsigned values = 4;  // independent chains per thread
constexpr int steps = 64;       // unrolled, so that a loop's own instructions are few

template <class T>
__global__ void creep(const float* in, T* out, std::size_t n, int depth, T a, T b) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * threads * values + threadIdx.x;
  T x[values];
#pragma unroll
  for (unsigned k = 0; k < values; ++k) {
    const std::size_t i = first + k * threads;
    x[k] = i < n ? static_cast<T>(in[i]) : T{};
  }
  int step = 0;
  for (; step + steps <= depth; step += steps) {
#pragma unroll
    for (int unrolled = 0; unrolled < steps; ++unrolled) {
#pragma unroll
      for (unsigned k = 0; k < values; ++k) x[k] = x[k] * a + b;
    }
  }
  for (; step < depth; ++step) {
#pragma unroll
    for (unsigned k = 0; k < values; ++k) x[k] = x[k] * a + b;
  }
#pragma unroll
  for (unsigned k = 0; k < values; ++k) {
    const std::size_t i = first + k * threads;
    if (i < n) out[i] = x[k];
  }
}

struct Unrolled : Variant {
  void compute(const Task& task) const override {
    const auto in = task.in();
    const auto blocks =
        static_cast<unsigned>((in.size() + threads * values - 1) / (threads * values));
    with_accumulator(task.accumulator(), [&](auto zero) {
      using T = decltype(zero);
      // The factors are arguments: with constants the compiler could simplify the work.
      creep<T><<<blocks, threads, 0, cuda::native(task.stream)>>>(
          in.data(), task.out<T>().data(), in.size(),
          static_cast<int>(task.params.integer_or("depth", 1)), static_cast<T>(factor),
          static_cast<T>(summand));
    });
    cuda::launched("creep");
  }
};
const VariantRegistrar<Unrolled> registrar("fma", "unrolled", BackendKind::cuda,
                                           "four values per thread, 64 steps unrolled");

}  // namespace
}  // namespace apod::fma
