#pragma once

/// \file
/// Owners of the CUDA runtime's handles. Destructors ignore errors: after a sticky one every call
/// fails, and the process is about to end anyway.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "kernels/api/backend.hpp"

namespace apod::cuda {

/// cudaMalloc, cudaHostAlloc, or plain host memory that CUDA is not told about. Throws
/// BackendError{out_of_memory}.
std::unique_ptr<Buffer> allocate(std::size_t bytes, MemoryKind kind);

/// Streams that are not in use, by the order in which they were made.
class IdleStreams {
 public:
  IdleStreams() = default;
  ~IdleStreams();
  IdleStreams(const IdleStreams&) = delete;
  IdleStreams& operator=(const IdleStreams&) = delete;
  /// The first; if there is none, a new one.
  std::pair<std::size_t, cudaStream_t> take();
  void give_back(std::size_t number, cudaStream_t stream) { streams_.emplace(number, stream); }

 private:
  std::map<std::size_t, cudaStream_t> streams_;
  std::size_t made_ = 0;
};

class CudaStream final : public Stream {
 public:
  /// The time of a short kernel differs by a percent between streams, so the cases of a process
  /// use the same ones. `idle` must not be null.
  explicit CudaStream(std::shared_ptr<IdleStreams> idle);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  void synchronize() override;
  std::uintptr_t handle() const override;

 private:
  std::shared_ptr<IdleStreams> idle_;
  std::size_t number_ = 0;
  cudaStream_t stream_ = nullptr;
};

class CudaEvent final : public Event {
 public:
  CudaEvent();
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  void record(Stream& stream) override;
  /// Waits until the last recorded work is done; returns at once if nothing was recorded.
  void wait() const;
  /// Seconds from `start` to this event; about half a microsecond fine. Throws when one of the two
  /// was not recorded or is not done.
  double seconds_since(const CudaEvent& start) const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// Records what `enqueue` puts on `stream` as a graph, ready to launch. Throws
/// BackendError{unsupported} when the work waits, allocates or otherwise can't be recorded; the
/// stream is usable afterwards.
std::unique_ptr<Graph> capture(Stream& stream, const std::function<void()>& enqueue);

}  // namespace apod::cuda
