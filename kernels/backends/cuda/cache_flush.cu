#include <algorithm>

#include "kernels/backends/cuda/cache_flush.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/objects.hpp"

namespace apod::cuda {
namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kBlocksPerMultiprocessor = 2;

/// Reads `count` elements, all of them 0, past the L1.
__global__ void read_sweep(uint4* data, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  unsigned any = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 value = __ldcg(data + i);
    any |= value.x | value.y | value.z | value.w;
  }
  if (any != 0) data->x = any;  // never; keeps the reads
}

}  // namespace

void end_persistence() {
  std::size_t set_aside = 0;
  if (cudaDeviceGetLimit(&set_aside, cudaLimitPersistingL2CacheSize) != cudaSuccess) {
    (void)cudaGetLastError();  // a device that has no such part
  } else if (set_aside > 0) {
    APOD_CUDA(cudaCtxResetPersistingL2Cache());
  }
}

CacheFlush::CacheFlush(const cudaDeviceProp& device)
    : l2_bytes_(static_cast<std::size_t>(std::max(device.l2CacheSize, 0))),
      blocks_(kBlocksPerMultiprocessor * static_cast<unsigned>(device.multiProcessorCount)),
      memory_(allocate(2 * l2_bytes_, MemoryKind::device)) {
  APOD_CUDA(cudaMemset(memory_->data(), 0, memory_->bytes()));
}

void CacheFlush::enqueue(cudaStream_t stream, CacheMode mode) const {
  if (mode == CacheMode::flushed) {
    APOD_CUDA(cudaMemsetAsync(memory_->data(), 0, l2_bytes_, stream));
  } else {
    sweep(stream);
  }
}

void CacheFlush::sweep(cudaStream_t stream) const {
  read_sweep<<<blocks_, kThreads, 0, stream>>>(static_cast<uint4*>(memory_->data()),
                                               memory_->bytes() / sizeof(uint4));
  launched("read_sweep");
}

}  // namespace apod::cuda
