#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/bilinear/strips_backward.hpp"
#include "kernels/bilinear/strips_forward.hpp"

namespace apod::bilinear {
namespace {

struct ByStrips : Variant {
  void compute(const Task& task) const override {
    const auto compute =
        part(task).direction == Direction::fprop ? forward_by_strips : backward_by_strips;
    compute(part(task), cuda::native(task.stream));
  }
};
const VariantRegistrar<ByStrips> registrar("bilinear", "strips", BackendKind::cuda,
                                           "strips of rows, each value read once, no atomics");

}  // namespace
}  // namespace apod::bilinear
