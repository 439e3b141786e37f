#include "kernels/backends/host/memory.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/objects.hpp"

namespace apod::cuda {
namespace {

/// Bytes of an empty buffer, so that its address is valid and aligned.
constexpr std::size_t kLeast = 256;

class OwnedBuffer final : public Buffer {
 public:
  using Free = void (*)(void* data, std::size_t bytes);
  OwnedBuffer(void* data, std::size_t bytes, Free free) : data_(data), bytes_(bytes), free_(free) {}
  ~OwnedBuffer() override { free_(data_, bytes_); }
  void* data() const override { return data_; }
  std::size_t bytes() const override { return bytes_; }

 private:
  void* data_;
  std::size_t bytes_;
  Free free_;
};

/// Pinned memory that was given back, for the next who wants as much of it: pinning takes longer
/// than a case that is measured. Cases of one problem follow each other, and want the same.
class PinnedMemory {
 public:
  static PinnedMemory& instance() {
    static auto* const only = new PinnedMemory;  // outlives the driver, which frees all of it
    return *only;
  }
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto kept = std::find_if(kept_.begin(), kept_.end(),
                                   [&](const Kept& one) { return one.bytes == bytes; });
    if (kept != kept_.end()) {
      auto* const data = kept->data;
      kept_bytes_ -= bytes;
      kept_.erase(kept);
      return data;
    }
    // Pinning takes real memory at once, and the kernel would kill processes to find it.
    free_all();
    host::require_memory(bytes, MemoryKind::pinned);
    void* data = nullptr;
    APOD_CUDA(cudaHostAlloc(&data, std::max(bytes, kLeast), cudaHostAllocDefault));
    return data;
  }
  void give_back(void* data, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    kept_.push_back({data, bytes});
    kept_bytes_ += bytes;
    while (kept_bytes_ > most_bytes_) free_oldest();
  }
  /// For others who need memory.
  void free_all() {
    const std::lock_guard lock(mutex_);
    while (!kept_.empty()) free_oldest();
  }

 private:
  struct Kept {
    void* data = nullptr;
    std::size_t bytes = 0;
  };

  void free_oldest() {
    kept_bytes_ -= kept_.front().bytes;
    (void)cudaFreeHost(kept_.front().data);
    kept_.pop_front();
  }

  const std::uint64_t most_bytes_ =
      std::min(std::uint64_t{4} << 30, host::total_memory_bytes() / 8);
  std::recursive_mutex mutex_;
  std::deque<Kept> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Buffer> allocate(std::size_t bytes, MemoryKind kind) {
  switch (kind) {
    case MemoryKind::pageable:
      PinnedMemory::instance().free_all();
      return std::make_unique<host::Memory>(bytes, MemoryKind::pageable);
    case MemoryKind::pinned:
      return std::make_unique<OwnedBuffer>(
          PinnedMemory::instance().take(bytes), bytes,
          [](void* data, std::size_t size) { PinnedMemory::instance().give_back(data, size); });
    case MemoryKind::device:
      break;
  }
  void* data = nullptr;
  APOD_CUDA(cudaMalloc(&data, std::max(bytes, kLeast)));
  return std::make_unique<OwnedBuffer>(data, bytes,
                                       [](void* own, std::size_t) { (void)cudaFree(own); });
}

}  // namespace apod::cuda
