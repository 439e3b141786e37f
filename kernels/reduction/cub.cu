#include <cub/device/device_reduce.cuh>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"

namespace apod::reduction {
namespace {

/// CUB accumulates in the type of what it writes. It loads 16 bytes at once from a pointer, and
/// from no other iterator.
template <class Accumulator>
cudaError_t device_sum(void* scratch, std::size_t& bytes, const void* input, void* output,
                       std::size_t n, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(scratch, bytes, static_cast<const float*>(input),
                                static_cast<Accumulator*>(output), static_cast<std::int64_t>(n),
                                stream);
}

struct Cub : Variant {
  /// A partial sum a block.
  std::size_t most_scratch_bytes(const Params&) const override { return std::size_t{1} << 20; }
  std::size_t scratch_bytes(const Problem&, const Params& params,
                            const Chunk& chunk) const override {
    std::size_t bytes = 0;
    const std::size_t n = chunk.input_bytes / sizeof(float);
    with_accumulator(accumulator_of(params), [&](auto zero) {
      APOD_CUDA(device_sum<decltype(zero)>(nullptr, bytes, nullptr, nullptr, n, nullptr));
    });
    return bytes;
  }
  void compute(const Task& task) const override {
    std::size_t bytes = scratch_bytes(task.problem, task.params, task.chunk);
    with_accumulator(task.accumulator(), [&](auto zero) {
      APOD_CUDA(device_sum<decltype(zero)>(task.scratch, bytes, task.input, task.output,
                                           task.in().size(), cuda::native(task.stream)));
    });
  }
};
const VariantRegistrar<Cub> registrar("reduction", "cub", BackendKind::cuda,
                                      "cub::DeviceReduce::Sum");

}  // namespace
}  // namespace apod::reduction
