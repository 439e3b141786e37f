/// \file
/// The CUDA backend: one device, its streams and events, with facts from NVML and CUPTI.

#include <cuda_profiler_api.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "kernels/api/registry.hpp"
#include "kernels/backends/cuda/blocker.hpp"
#include "kernels/backends/cuda/cache_flush.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/counters/counters.hpp"
#include "kernels/backends/cuda/device.hpp"
#include "kernels/backends/cuda/files/variant.hpp"
#include "kernels/backends/cuda/launch_counter.hpp"
#include "kernels/backends/cuda/objects.hpp"
#include "kernels/backends/cuda/staging.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/backends/cuda/tracer/tracer.hpp"

namespace apod::cuda {
namespace {

/// Whether each launch waits for its kernel, which a held stream never lets end.
bool launches_wait() {
  const char* value = std::getenv("CUDA_LAUNCH_BLOCKING");
  return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
}

/// The least difference between the gaps of events that follow each other, s; 0 where all are
/// equal.
double event_tick_s() {
  CudaStream stream(std::make_shared<IdleStreams>());
  std::array<CudaEvent, 129> events;
  for (auto& event : events) event.record(stream);
  stream.synchronize();
  std::vector<double> gaps;
  for (std::size_t i = 1; i < events.size(); ++i)
    gaps.push_back(events[i].seconds_since(events[i - 1]));
  std::sort(gaps.begin(), gaps.end());
  constexpr double rounding_s = 1e-11;
  double tick_s = 0;
  for (std::size_t i = 1; i < gaps.size(); ++i) {
    const double step_s = gaps[i] - gaps[i - 1];
    if (step_s > rounding_s && (tick_s == 0 || step_s < tick_s)) tick_s = step_s;
  }
  return tick_s;
}

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int index) : device_(index), tick_s_(event_tick_s()) {}

  BackendKind kind() const override { return BackendKind::cuda; }
  DeviceFacts facts() const override {
    auto facts = device_.facts();
    facts.timer_tick_s = tick_s_;
    return facts;
  }
  void enter_thread() override { device_.make_current(); }

  std::unique_ptr<Buffer> allocate(std::size_t bytes, MemoryKind kind) override {
    return cuda::allocate(bytes, kind);
  }
  std::unique_ptr<Stream> create_stream(std::string_view) override {
    return std::make_unique<CudaStream>(idle_streams_);
  }
  std::unique_ptr<Event> create_event() override { return std::make_unique<CudaEvent>(); }

  void copy(void* target, const void* source, std::size_t bytes, Stream& stream) override {
    if (bytes == 0) return;
    APOD_CUDA(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, native(stream)));
  }

  void upload(void* device, const void* host, std::size_t bytes, Stream& stream) override {
    auto* staging = staging_for(bytes);
    if (staging == nullptr) return Backend::upload(device, host, bytes, stream);
    staging->upload(static_cast<std::byte*>(device), static_cast<const std::byte*>(host), bytes,
                    stream);
  }
  void download(void* host, const void* device, std::size_t bytes, Stream& stream) override {
    auto* staging = staging_for(bytes);
    if (staging == nullptr) return Backend::download(host, device, bytes, stream);
    staging->download(static_cast<std::byte*>(host), static_cast<const std::byte*>(device), bytes,
                      stream);
  }

  void fill(void* target, std::uint8_t byte, std::size_t bytes, Stream& stream) override {
    if (bytes == 0) return;
    APOD_CUDA(cudaMemsetAsync(target, byte, bytes, native(stream)));
  }

  void end_persistence() override { cuda::end_persistence(); }
  void flush_cache(Stream& stream, CacheMode mode) override {
    last_flush_ = mode;
    if (mode == CacheMode::hot) return;
    if (!flush_) flush_ = std::make_unique<CacheFlush>(device_.properties());
    flush_->enqueue(native(stream), mode);
  }

  void synchronize() override { APOD_CUDA(cudaDeviceSynchronize()); }

  double seconds_between(const Event& start, const Event& stop) override {
    return dynamic_cast<const CudaEvent&>(stop).seconds_since(
        dynamic_cast<const CudaEvent&>(start));
  }

  bool block(Stream& stream) override {
    if (!device_.properties().canMapHostMemory || launches_wait()) return false;
    auto status = cudaStreamCaptureStatusNone;
    APOD_CUDA(cudaStreamIsCapturing(native(stream), &status));
    if (status != cudaStreamCaptureStatusNone) return false;
    if (!blocker_) blocker_ = std::make_unique<Blocker>();
    return blocker_->block(native(stream));
  }
  bool unblock() override { return blocker_ && blocker_->unblock(); }
  void begin_launches(Stream& stream, int empty) override {
    if (!device_.properties().canMapHostMemory) return;
    if (!launches_) launches_ = std::make_unique<LaunchCounter>();
    launches_->begin(native(stream), empty);
  }
  void end_launches(Stream& stream) override {
    if (launches_) launches_->end(native(stream));
  }
  std::optional<std::uint64_t> counted_launches() override {
    return launches_ ? std::optional(launches_->counted()) : std::nullopt;
  }
  double held_clock_mhz() override { return blocker_ ? blocker_->clock_mhz() : 0; }

  std::unique_ptr<Graph> capture(Stream& stream, const std::function<void()>& enqueue) override {
    return cuda::capture(stream, enqueue);
  }

  ClockReading clock() override { return device_.clock(); }
  double energy() override { return device_.energy(); }
  std::optional<unsigned> processes() override { return device_.processes(); }
  void expect_traces() override { tracer_.stay_attached(); }
  Trace trace(const std::function<void()>& work) override {
    return tracer_.trace(device_.properties(), work);
  }

  Counters count(const std::vector<std::string>& metrics, const std::function<void()>& before,
                 const std::function<void()>& work) override {
    tracer_.detach();
    const auto settle = [this] {
      if (last_flush_ == CacheMode::cold) flush_->sweep(nullptr);
    };
    return cuda::count(metrics, before, settle, work);
  }

  void profiler_start() override { APOD_CUDA(cudaProfilerStart()); }
  void profiler_stop() override { APOD_CUDA(cudaProfilerStop()); }

 private:
  /// Null where a plain copy is as good, or nothing can be pinned.
  Staging* staging_for(std::size_t bytes) {
    if (bytes < Staging::least_bytes) return nullptr;
    try {
      if (!staging_) staging_ = std::make_unique<Staging>(device_);
    } catch (const BackendError& error) {
      if (error.code() != BackendError::Code::out_of_memory) throw;
    }
    return staging_.get();
  }

  Device device_;
  double tick_s_;
  std::shared_ptr<IdleStreams> idle_streams_ = std::make_shared<IdleStreams>();
  std::unique_ptr<CacheFlush> flush_;
  CacheMode last_flush_ = CacheMode::hot;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<Blocker> blocker_;
  std::unique_ptr<LaunchCounter> launches_;
  Tracer tracer_;
};

/// Streams share the device's hardware queues, of which the driver makes 8 by default. With more
/// streams than queues, work waits for unrelated work of other streams. 32 is the maximum, and
/// costs time where nobody needs it. A case has a stream beside those it asks for. A variable set
/// by the user is left alone.
void ask_for_queues(std::int64_t streams) {
  if (streams >= 8) setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", /*overwrite=*/0);
}

const BackendRegistrar registrar({.kind = BackendKind::cuda,
                                  .devices = list_devices,
                                  .open = [](int index) -> std::unique_ptr<Backend> {
                                    return std::make_unique<CudaBackend>(index);
                                  },
                                  .sign = sign_of_device,
                                  .check_metric = check_metric,
                                  .prepare = ask_for_queues,
                                  .kernel_files = kernel_files()});

}  // namespace
}  // namespace apod::cuda
