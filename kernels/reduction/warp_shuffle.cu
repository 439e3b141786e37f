#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/sums/device_sum.hpp"

namespace apod::reduction {
namespace {

template <class Accumulator>
void sum_on(const Task& task) {
  sums::single_pass_sum(
      static_cast<const float*>(task.input), task.chunk.input_bytes / sizeof(float),
      static_cast<Accumulator*>(task.output), task.scratch, cuda::native(task.stream));
}

struct WarpShuffle : Variant {
  std::size_t scratch_bytes(const Problem&, const Params&, const Chunk&) const override {
    return sizeof(sums::SinglePassScratch);
  }
  void compute(const Task& task) const override {
    task.accumulator() == Scalar::fp64 ? sum_on<double>(task) : sum_on<float>(task);
  }
};
const VariantRegistrar<WarpShuffle> registrar(
    "reduction", "warp_shuffle", BackendKind::cuda,
    "one launch: 16-byte loads, warp shuffles, last block finishes");

}  // namespace
}  // namespace apod::reduction
