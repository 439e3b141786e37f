#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"

namespace apod::reduction {
namespace {

template <class Accumulator>
void sum_on(const Task& task) {
  const auto* values = static_cast<const float*>(task.input);
  const auto stream = cuda::native(task.stream);
  const Accumulator sum =
      ::thrust::reduce(::thrust::cuda::par.on(stream), values,
                       values + task.chunk.input_bytes / sizeof(float), Accumulator{0});
  // Thrust hands the sum to the host; the next step wants it on the device. The copy reads `sum`
  // before it returns, since pageable memory is staged first.
  APOD_CUDA(cudaMemcpyAsync(task.output, &sum, sizeof sum, cudaMemcpyHostToDevice, stream));
}

struct Thrust : Variant {
  void compute(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? sum_on<double>(task) : sum_on<float>(task);
  }
  bool waits(const Params&) const override { return true; }
};
const VariantRegistrar<Thrust> registrar("reduction", "thrust", BackendKind::cuda,
                                         "thrust::reduce, which waits for the device");

}  // namespace
}  // namespace apod::reduction
