#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/sums/host_sum.hpp"

namespace apod::reduction {
namespace {

template <class Accumulator>
void sum_on(const Task& task) {
  const auto* values = static_cast<const float*>(task.input);
  const auto count = task.chunk.input_bytes / sizeof(float);
  auto* sum = static_cast<Accumulator*>(task.output);
  host::enqueue(
      task.stream, [=] { *sum = sums::host_sum<Accumulator>(values, count); }, "host_sum");
}

struct Host : Variant {
  void compute(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? sum_on<double>(task) : sum_on<float>(task);
  }
};
const VariantRegistrar<Host> registrar("reduction", "host", BackendKind::host,
                                       "vectorised sum; one thread per stream");

}  // namespace
}  // namespace apod::reduction
