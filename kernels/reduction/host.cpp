#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/sums/host_sum.hpp"

namespace apod::reduction {
namespace {

struct Host : Variant {
  void compute(const Task& task) const override {
    with_accumulator(task.accumulator(), [&](auto zero) {
      using T = decltype(zero);
      host::enqueue(
          task.stream,
          [in = task.in(), sum = task.out<T>().data()] {
            *sum = sums::host_sum<T>(in.data(), in.size());
          },
          "host_sum");
    });
  }
};
const VariantRegistrar<Host> registrar("reduction", "host", BackendKind::host,
                                       "vectorised sum; one thread per stream");

}  // namespace
}  // namespace apod::reduction
