#include "kernels/backends/cuda/stream.hpp"

#include <tuple>
#include <utility>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/objects.hpp"

namespace apod::cuda {

IdleStreams::~IdleStreams() {
  for (const auto& [number, stream] : streams_) (void)cudaStreamDestroy(stream);
}

std::pair<std::size_t, cudaStream_t> IdleStreams::take() {
  if (!streams_.empty()) {
    const auto first = streams_.extract(streams_.begin());
    return {first.key(), first.mapped()};
  }
  // Non-blocking: work on the legacy default stream must not order our streams behind its back.
  cudaStream_t stream = nullptr;
  APOD_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return {made_++, stream};
}

CudaStream::CudaStream(std::shared_ptr<IdleStreams> idle) : idle_(std::move(idle)) {
  std::tie(number_, stream_) = idle_->take();
}

CudaStream::~CudaStream() {
  idle_->give_back(number_, stream_);
}

void CudaStream::synchronize() {
  APOD_CUDA(cudaStreamSynchronize(stream_));
}

std::uintptr_t CudaStream::handle() const {
  return reinterpret_cast<std::uintptr_t>(stream_);
}

CudaEvent::CudaEvent() {
  APOD_CUDA(cudaEventCreate(&event_));
}

CudaEvent::~CudaEvent() {
  (void)cudaEventDestroy(event_);
}

void CudaEvent::record(Stream& stream) {
  APOD_CUDA(cudaEventRecord(event_, native(stream)));
}

void CudaEvent::wait() const {
  APOD_CUDA(cudaEventSynchronize(event_));
}

double CudaEvent::seconds_since(const CudaEvent& start) const {
  float milliseconds = 0;
  APOD_CUDA(cudaEventElapsedTime(&milliseconds, start.event_, event_));
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace apod::cuda
