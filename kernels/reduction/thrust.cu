#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"

namespace apod::reduction {
namespace {

template <class Accumulator>
void sum_on(const Task& task, Accumulator zero) {
  const auto values = task.in();
  const auto stream = cuda::native(task.stream);
  const Accumulator sum = ::thrust::reduce(::thrust::cuda::par.on(stream), values.data(),
                                           values.data() + values.size(), zero);
  // Thrust hands the sum to the host; the next step wants it on the device. The copy reads `sum`
  // before it returns, since pageable memory is staged first.
  APOD_CUDA(cudaMemcpyAsync(task.output, &sum, sizeof sum, cudaMemcpyHostToDevice, stream));
}

struct Thrust : Variant {
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) { sum_on(task, zero); });
  }
  bool waits(const Params&) const override { return true; }
};
const VariantRegistrar<Thrust> registrar("reduction", "thrust", BackendKind::cuda,
                                         "thrust::reduce, which waits for the device");

}  // namespace
}  // namespace apod::reduction
