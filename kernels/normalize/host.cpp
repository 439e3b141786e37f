#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/sums/host_sum.hpp"

namespace apod::normalize {
namespace {

struct Host : Variant {
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) {
      using T = decltype(zero);
      for (std::int64_t i = 0; i < task.params.integer_or("compute_repeats", 1); ++i) {
        host::enqueue(
            task.stream,
            [in = task.in(), sum = static_cast<T*>(task.partial)] {
              *sum = sums::host_sum<T>(in.data(), in.size());
            },
            "host_sum");
      }
    });
  }
  void finish(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) {
      host::enqueue(
          task.stream,
          [in = task.in(), out = task.out(),
           sum = static_cast<const decltype(zero)*>(task.combined)] {
            const auto divisor = static_cast<float>(*sum);
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[i] / divisor;
          },
          "divide_by");
    });
  }
};
const VariantRegistrar<Host> registrar("normalize", "host", BackendKind::host,
                                       "vectorised sum and division; one thread per stream");

}  // namespace
}  // namespace apod::normalize
