#include <atomic>

#include "kernels/backends/cuda/blocker.hpp"
#include "kernels/backends/cuda/check.hpp"

namespace apod::cuda {
namespace {

/// A lost host must not hang the device: every hold ends after this many nanoseconds.
constexpr std::uint64_t kHoldLimitNs = 1'000'000'000;

__device__ std::uint64_t global_time_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// One thread that reads `released` over the bus until it reaches `hold`.
__global__ void hold_stream(const volatile std::uint32_t* released,
                            volatile std::uint32_t* timed_out, std::uint32_t hold) {
  const auto start = global_time_ns();
  while (static_cast<std::int32_t>(*released - hold) < 0) {
    if (global_time_ns() - start > kHoldLimitNs) {
      *timed_out = hold;
      __threadfence_system();
      return;
    }
  }
}

__device__ std::uint32_t multiprocessor() {
  std::uint32_t id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// Touches every multiprocessor, and notes the time. Work that follows other work finds all of them
/// awake. Behind the hold alone, which keeps one busy, two short kernels read half a microsecond
/// less on an H200 than in NVBench, whose clock stamp has the same effect. See docs/measuring.md.
__global__ void wake(HoldStamp* stamps, std::uint32_t hold) {
  stamps[multiprocessor()] = {static_cast<std::uint64_t>(clock64()), global_time_ns(), hold};
}

/// What went by since then on the multiprocessor that it runs on.
__global__ void stop_clock(const HoldStamp* stamps, volatile HoldState* shared,
                           std::uint32_t hold) {
  const auto begin = stamps[multiprocessor()];
  if (begin.hold != hold) return;  // not touched
  shared->cycles = static_cast<std::uint64_t>(clock64()) - begin.cycles;
  shared->ns = global_time_ns() - begin.ns;
  shared->stamped = hold;
}

}  // namespace

Blocker::Blocker() {
  int device = 0;
  APOD_CUDA(cudaGetDevice(&device));
  APOD_CUDA(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
  void* memory = nullptr;
  APOD_CUDA(cudaHostAlloc(&memory, sizeof(HoldState), cudaHostAllocMapped));
  void* mapped = nullptr;
  if (const auto error = cudaHostGetDevicePointer(&mapped, memory, 0); error != cudaSuccess) {
    (void)cudaFreeHost(memory);
    (void)cudaGetLastError();
    throw BackendError(BackendError::Code::unsupported,
                       "host memory can't be mapped into this device");
  }
  shared_ = static_cast<volatile HoldState*>(memory);
  shared_->released = 0;
  shared_->timed_out = 0;
  shared_->stamped = 0;
  device_shared_ = static_cast<HoldState*>(mapped);
  // The ids of multiprocessors may have gaps.
  constexpr std::size_t kMostMultiprocessors = 4096;
  if (const auto error = cudaMalloc(&stamps_, kMostMultiprocessors * sizeof(HoldStamp));
      error != cudaSuccess) {
    (void)cudaFreeHost(memory);
    APOD_CUDA(error);
  }
  APOD_CUDA(cudaMemset(stamps_, 0, kMostMultiprocessors * sizeof(HoldStamp)));
  // Loaded now: loading a kernel for its first launch would wait for a hold in front of it.
  wake<<<1, 1>>>(stamps_, 0);
  launched("wake");
  stop_clock<<<1, 1>>>(stamps_, device_shared_, 0);
  launched("stop_clock");
  APOD_CUDA(cudaDeviceSynchronize());
}

Blocker::~Blocker() {
  // The memory must outlive a kernel that still reads it; cudaFreeHost waits for it to end.
  shared_->released = hold_;
  (void)cudaFree(stamps_);
  (void)cudaFreeHost(const_cast<HoldState*>(shared_));
}

bool Blocker::block(cudaStream_t stream) {
  // A hold that ended by itself and was never released does not stand in the way of the next.
  if (held_ && shared_->timed_out != hold_) return false;
  const auto next = hold_ + 1;
  hold_stream<<<1, 1, 0, stream>>>(&device_shared_->released, &device_shared_->timed_out, next);
  launched("hold_stream");
  wake<<<static_cast<unsigned>(multiprocessors_), 1, 0, stream>>>(stamps_, next);
  launched("wake");
  stream_ = stream;
  hold_ = next;
  held_ = true;
  return true;
}

bool Blocker::unblock() {
  if (!held_) return false;
  held_ = false;
  stop_clock<<<1, 1, 0, stream_>>>(stamps_, device_shared_, hold_);
  const bool ended_by_itself = shared_->timed_out == hold_;
  shared_->released = hold_;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  launched("stop_clock");
  return !ended_by_itself;
}

double Blocker::clock_mhz() const {
  // The timer's steps are of 32 ns on an H200, which is 0.3 % of this.
  constexpr std::uint64_t kLeastNs = 10'000;
  if (hold_ == 0 || shared_->stamped != hold_ || shared_->ns < kLeastNs) return 0;
  return 1e3 * static_cast<double>(shared_->cycles) / static_cast<double>(shared_->ns);
}

}  // namespace apod::cuda
