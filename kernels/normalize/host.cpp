#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/sums/host_sum.hpp"

namespace apod::normalize {
namespace {

template <class Accumulator>
void sum_on(const Task& task) {
  const auto* values = static_cast<const float*>(task.input);
  const auto count = task.chunk.input_bytes / sizeof(float);
  auto* sum = static_cast<Accumulator*>(task.partial);
  const auto repeats = task.params.integer_or("compute_repeats", 1);
  for (std::int64_t i = 0; i < repeats; ++i) {
    host::enqueue(
        task.stream, [=] { *sum = sums::host_sum<Accumulator>(values, count); }, "host_sum");
  }
}

template <class Accumulator>
void divide_on(const Task& task) {
  const auto* in = static_cast<const float*>(task.input);
  auto* out = static_cast<float*>(task.output);
  const auto count = task.chunk.output_bytes / sizeof(float);
  const auto* sum = static_cast<const Accumulator*>(task.combined);
  host::enqueue(
      task.stream,
      [=] {
        const auto divisor = static_cast<float>(*sum);
        for (std::size_t i = 0; i < count; ++i) out[i] = in[i] / divisor;
      },
      "divide_by");
}

struct Host : Variant {
  void compute(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? sum_on<double>(task) : sum_on<float>(task);
  }
  void finish(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? divide_on<double>(task) : divide_on<float>(task);
  }
};
const VariantRegistrar<Host> registrar("normalize", "host", BackendKind::host,
                                       "vectorised sum and division; one thread per stream");

}  // namespace
}  // namespace apod::normalize
