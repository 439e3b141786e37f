#include "kernels/backends/cuda/stream.hpp"

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/objects.hpp"

namespace apod::cuda {

// Non-blocking: work on the legacy default stream must not order our streams behind its back.
CudaStream::CudaStream() {
  APOD_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

CudaStream::~CudaStream() {
  (void)cudaStreamDestroy(stream_);
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
