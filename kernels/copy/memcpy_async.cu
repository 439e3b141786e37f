#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"

namespace apod::copy {
namespace {

struct MemcpyAsync : Variant {
  void compute(const Task& task) const override {
    APOD_CUDA(cudaMemcpyAsync(task.output, task.input, task.chunk.output_bytes,
                              cudaMemcpyDeviceToDevice, cuda::native(task.stream)));
  }
};
const VariantRegistrar<MemcpyAsync> registrar("copy", "memcpy_async", BackendKind::cuda,
                                              "cudaMemcpyAsync, device to device");

}  // namespace
}  // namespace apod::copy
