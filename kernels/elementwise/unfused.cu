#include <cstdint>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/elementwise/pairwise.hpp"
#include "kernels/elementwise/problem.hpp"

namespace apod::elementwise {
namespace {

/// A pool that keeps freed memory as long as the process lives. By default a pool returns unused
/// memory to the device at every synchronisation, and every sample would pay for getting it again.
/// Not the device's default pool, which other workloads may use.
cudaMemPool_t kept_pool() {
  static const cudaMemPool_t kept = [] {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;  // of device memory: that does not move
    properties.location.type = cudaMemLocationTypeDevice;
    APOD_CUDA(cudaGetDevice(&properties.location.id));
    cudaMemPool_t pool = nullptr;
    std::uint64_t threshold = UINT64_MAX;
    APOD_CUDA(cudaMemPoolCreate(&pool, &properties));
    APOD_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    return pool;
  }();
  return kept;
}

/// Temporary `which` of a pair, given back at the end of its scope.
class Temporary {
 public:
  Temporary(const Task& task, std::size_t which, std::size_t size)
      : allocator_(allocator_of(task.params)), stream_(cuda::native(task.stream)) {
    switch (allocator_) {
      case Allocator::malloc:
        APOD_CUDA(cudaMalloc(&memory_, size * sizeof(float)));
        break;
      case Allocator::pool:
        APOD_CUDA(cudaMallocFromPoolAsync(&memory_, size * sizeof(float), kept_pool(), stream_));
        break;
      case Allocator::arena:
        memory_ = in_arena(task.scratch, which, size);
        break;
    }
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    // cudaFree waits until the kernels that use the memory are done, cudaFreeAsync takes its turn
    // in the stream behind them.
    if (allocator_ == Allocator::malloc) (void)cudaFree(memory_);
    if (allocator_ == Allocator::pool) (void)cudaFreeAsync(memory_, stream_);
  }
  float* values() const { return static_cast<float*>(memory_); }

 private:
  Allocator allocator_;
  cudaStream_t stream_;
  void* memory_ = nullptr;
};

/// The tutorial's expression as CuPy evaluates it: each operation is a kernel, each result but the
/// last a temporary.
struct Unfused : Variant {
  std::size_t most_scratch_bytes(const Params& params) const override {
    return arena_bytes(params);
  }
  void compute(const Task& task) const override {
    const auto stream = cuda::native(task.stream);
    const Part work = part(task);
    for (std::size_t pair = 0; pair < work.pairs; ++pair) {
      const float* x = work.in + pair * work.size;
      const float* y = x + work.size;
      const Temporary left(task, 0, work.size);
      launch<Subtract>(x, y, left.values(), work.size, stream);
      const Temporary right(task, 1, work.size);
      launch<Subtract>(x, y, right.values(), work.size, stream);
      launch<Multiply>(left.values(), right.values(), work.out + pair * work.size, work.size,
                       stream);
    }
  }
  bool waits(const Params& params) const override {
    return allocator_of(params) == Allocator::malloc;
  }
};
const VariantRegistrar<Unfused> registrar(
    "elementwise", "unfused", BackendKind::cuda,
    "three kernels per pair: two differences, then their product");

}  // namespace
}  // namespace apod::elementwise
