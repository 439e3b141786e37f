#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/gemm/element.hpp"

namespace apod::gemm {
namespace {

constexpr int across = 32;
constexpr int down = 8;

/// One thread per element of C reads a row of A and a column of B from memory: the obvious first
/// version. Neighbours share data through the caches only.
template <class T>
__global__ void multiply_elements(const T* a, const T* b, float* c, Part part) {
  // Rows lie along x, where a grid may be longest.
  const auto row = static_cast<std::size_t>(blockIdx.x) * down + threadIdx.y;
  const auto column = static_cast<std::size_t>(blockIdx.y) * across + threadIdx.x;
  const auto n = static_cast<std::size_t>(part.n);
  const auto k = static_cast<std::size_t>(part.k);
  if (row >= static_cast<std::size_t>(part.rows) || column >= n) return;
  float sum = 0;
  for (std::size_t i = 0; i < k; ++i) {
    sum += to_float(a[row * k + i]) * to_float(b[i * n + column]);
  }
  c[row * n + column] = sum;
}

struct Plain : Variant {
  void compute(const Task& task) const override {
    const auto work = part(task);
    const dim3 grid(static_cast<unsigned>((work.rows + down - 1) / down),
                    static_cast<unsigned>((work.n + across - 1) / across));
    const dim3 block(across, down);
    const OperationScope scope([&] { return operation(work); });
    with_element(work.type, [&](auto element) {
      using T = decltype(element);
      multiply_elements<T><<<grid, block, 0, cuda::native(task.stream)>>>(
          left<T>(task), right<T>(task), task.out().data(), work);
    });
    cuda::launched("multiply_elements");
  }
};
const VariantRegistrar<Plain> registrar("gemm", "plain", BackendKind::cuda,
                                        "an example: one thread per element, nothing reused");

}  // namespace
}  // namespace apod::gemm
