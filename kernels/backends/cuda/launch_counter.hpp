#pragma once

/// \file
/// How many launches a stretch of a stream has.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/api/backend.hpp"

namespace apod::cuda {

class LaunchCounter {
 public:
  /// Throws BackendError{unsupported} if host memory can't be mapped into the device.
  LaunchCounter();
  ~LaunchCounter();
  LaunchCounter(const LaunchCounter&) = delete;
  LaunchCounter& operator=(const LaunchCounter&) = delete;

  /// Enqueues `empty` kernels that do nothing, and one that notes its number: `%gridid`, in which
  /// the device counts the grids of the context.
  void begin(cudaStream_t stream, int empty);
  /// Enqueues another that notes its number.
  void end(cudaStream_t stream);
  /// Once the stream is done. Launches of other streams are included.
  LaunchCount counted() const { return {numbers_[0], numbers_[1] - numbers_[0]}; }

 private:
  volatile std::uint64_t* numbers_ = nullptr;
  std::uint64_t* device_numbers_ = nullptr;
};

}  // namespace apod::cuda
