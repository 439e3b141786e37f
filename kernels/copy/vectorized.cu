#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"

namespace apod::copy {
namespace {

constexpr int threads = 256;

/// 16 bytes a thread; the thread behind the last of them does what is left. More for a thread,
/// blocks that stay for several tiles, streaming hints and the copy engine of a multiprocessor were
/// not faster on an H100.
__global__ void copy_quads(const float* in, float* out, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t quads = n / 4;
  if (i < quads) {
    reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
  } else if (i == quads) {
    for (std::size_t k = quads * 4; k < n; ++k) out[k] = in[k];
  }
}

struct Vectorized : Variant {
  void compute(const Task& task) const override {
    const auto out = task.out();
    const auto blocks = static_cast<unsigned>(out.size() / 4 / threads + 1);
    copy_quads<<<blocks, threads, 0, cuda::native(task.stream)>>>(task.in().data(), out.data(),
                                                                  out.size());
    cuda::launched("copy_quads");
  }
};
const VariantRegistrar<Vectorized> registrar("copy", "vectorized", BackendKind::cuda,
                                             "16-byte loads and stores, one of each per thread");

}  // namespace
}  // namespace apod::copy
