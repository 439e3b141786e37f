#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/sums/single_pass.hpp"

namespace apod::normalize {
namespace {

constexpr int threads = 256;

/// One quad of values a thread; the last thread of all does what is left of the last quad. Divides
/// rather than multiplying with the reciprocal, so that the result is that of the plain kernel.
template <class Accumulator>
__global__ void divide_by_quads(const float* in, float* out, std::size_t n,
                                const Accumulator* sum) {
  const auto divisor = static_cast<float>(*sum);
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t quads = n / 4;
  if (i < quads) {
    float4 value = __ldcs(reinterpret_cast<const float4*>(in) + i);
    value.x /= divisor;
    value.y /= divisor;
    value.z /= divisor;
    value.w /= divisor;
    __stcs(reinterpret_cast<float4*>(out) + i, value);
  } else if (i == quads) {
    for (std::size_t k = quads * 4; k < n; ++k) out[k] = in[k] / divisor;
  }
}

struct Vectorized : Variant {
  std::size_t most_scratch_bytes(const Params&) const override {
    return sums::Slots<sums::Plain<double>>::bytes;
  }
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) {
      using T = decltype(zero);
      for (std::int64_t i = 0; i < task.params.integer_or("compute_repeats", 1); ++i) {
        sums::enqueue_single_pass<sums::Plain<T>>(static_cast<T*>(task.partial), task);
      }
    });
  }
  void finish(const Task& task) const override {
    const auto out = task.out();
    const auto blocks = static_cast<unsigned>(out.size() / 4 / threads + 1);
    with_accumulator(task.accumulator(), [&](auto zero) {
      divide_by_quads<<<blocks, threads, 0, cuda::native(task.stream)>>>(
          task.in().data(), out.data(), out.size(),
          static_cast<const decltype(zero)*>(task.combined));
    });
    cuda::launched("divide_by_quads");
  }
};
const VariantRegistrar<Vectorized> registrar("normalize", "vectorized", BackendKind::cuda,
                                             "one launch per sum, 16-byte loads and stores");

}  // namespace
}  // namespace apod::normalize
