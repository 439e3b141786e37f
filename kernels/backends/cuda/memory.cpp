#include "kernels/backends/host/memory.hpp"

#include <algorithm>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/objects.hpp"

namespace apod::cuda {
namespace {

/// Bytes of an empty buffer, so that its address is valid and aligned.
constexpr std::size_t kLeast = 256;

class DeviceBuffer final : public Buffer {
 public:
  explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
    APOD_CUDA(cudaMalloc(&data_, std::max(bytes, kLeast)));
  }
  ~DeviceBuffer() override { (void)cudaFree(data_); }
  void* data() const override { return data_; }
  std::size_t bytes() const override { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

class PinnedBuffer final : public Buffer {
 public:
  explicit PinnedBuffer(std::size_t bytes) : bytes_(bytes) {
    // Pinning takes real memory at once, and the kernel would kill processes to find it.
    host::require_memory(bytes, MemoryKind::pinned);
    APOD_CUDA(cudaHostAlloc(&data_, std::max(bytes, kLeast), cudaHostAllocDefault));
  }
  ~PinnedBuffer() override { (void)cudaFreeHost(data_); }
  void* data() const override { return data_; }
  std::size_t bytes() const override { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Buffer> allocate(std::size_t bytes, MemoryKind kind) {
  switch (kind) {
    case MemoryKind::pageable:
      return std::make_unique<host::Memory>(bytes, MemoryKind::pageable);
    case MemoryKind::pinned:
      return std::make_unique<PinnedBuffer>(bytes);
    case MemoryKind::device:
      break;
  }
  return std::make_unique<DeviceBuffer>(bytes);
}

}  // namespace apod::cuda
