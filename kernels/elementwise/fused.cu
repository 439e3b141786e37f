#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/elementwise/pairwise.hpp"
#include "kernels/elementwise/problem.hpp"

namespace apod::elementwise {
namespace {

/// The tutorial's expression under cupy.fuse: one kernel per pair, and no temporaries.
struct Fused : Variant {
  std::optional<std::string> rejects(const Params& params) const override {
    return rejects_allocator(params);
  }
  void compute(const Task& task) const override {
    const Part work = part(task);
    for (std::size_t pair = 0; pair < work.pairs; ++pair) {
      const float* x = work.in + pair * work.size;
      launch<SquareDifference>(x, x + work.size, work.out + pair * work.size, work.size,
                               cuda::native(task.stream));
    }
  }
};
const VariantRegistrar<Fused> registrar("elementwise", "fused", BackendKind::cuda,
                                        "one kernel per pair, no temporaries");

}  // namespace
}  // namespace apod::elementwise
