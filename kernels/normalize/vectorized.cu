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

template <class Accumulator>
void sum_on(const Task& task) {
  for (std::int64_t i = 0; i < task.params.integer_or("compute_repeats", 1); ++i) {
    sums::enqueue_single_pass<sums::Plain<Accumulator>>(
        static_cast<const float*>(task.input), task.chunk.input_bytes / sizeof(float),
        static_cast<Accumulator*>(task.partial), task.scratch, cuda::native(task.stream));
  }
}

template <class Accumulator>
void divide_on(const Task& task) {
  const std::size_t n = task.chunk.output_bytes / sizeof(float);
  const auto blocks = static_cast<unsigned>(n / 4 / threads + 1);
  divide_by_quads<<<blocks, threads, 0, cuda::native(task.stream)>>>(
      static_cast<const float*>(task.input), static_cast<float*>(task.output), n,
      static_cast<const Accumulator*>(task.combined));
  cuda::launched("divide_by_quads");
}

struct Vectorized : Variant {
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk&) const override {
    return sums::Slots<sums::Plain<double>>::bytes;
  }
  void compute(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? sum_on<double>(task) : sum_on<float>(task);
  }
  void finish(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? divide_on<double>(task) : divide_on<float>(task);
  }
};
const VariantRegistrar<Vectorized> registrar("normalize", "vectorized", BackendKind::cuda,
                                             "one launch per sum, 16-byte loads and stores");

}  // namespace
}  // namespace apod::normalize
