#include "kernels/api/registry.hpp"
#include "kernels/backends/host/stream.hpp"
#include "kernels/elementwise/problem.hpp"

namespace apod::elementwise {
namespace {

/// Arrays and squares lie one after the other, so the pairs are one long loop.
void square_fused(const Part& part) {
  const float* x = part.in;
  const float* y = part.in + part.size;
  for (std::size_t i = 0; i < part.pairs * part.size; ++i) {
    const float difference = x[i] - y[i];
    part.out[i] = difference * difference;
  }
}

struct HostFused : Variant {
  std::optional<std::string> rejects(const Params& params) const override {
    return rejects_allocator(params);
  }
  void compute(const Task& task) const override {
    host::enqueue(
        task.stream, [part = part(task)] { square_fused(part); }, "square_fused");
  }
};
const VariantRegistrar<HostFused> registrar("elementwise", "host_fused", BackendKind::host,
                                            "one loop without temporaries; one thread per stream");

}  // namespace
}  // namespace apod::elementwise
