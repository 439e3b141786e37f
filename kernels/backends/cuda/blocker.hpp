#pragma once

/// \file
/// Blocks a stream with a kernel that waits for the host, so that work enqueued after it starts
/// back to back.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace apod::cuda {

/// Shared with the kernels. Counts, not flags: a late kernel can't mistake the next hold for its
/// own, and nothing has to be reset.
struct HoldState {
  std::uint32_t released;   ///< written by the host: holds up to this one may end
  std::uint32_t timed_out;  ///< written by the device: the last hold that ended by itself
  std::uint32_t stamped;    ///< likewise: the last hold, which the next two describe
  std::uint64_t cycles;     ///< of a multiprocessor, from the end of the hold to its release
  std::uint64_t ns;         ///< likewise, of the global timer
};

/// When a hold ended, on one multiprocessor.
struct HoldStamp {
  std::uint64_t cycles;
  std::uint64_t ns;
  std::uint32_t hold;
};

class Blocker {
 public:
  /// Throws BackendError{unsupported} if host memory can't be mapped into the device.
  Blocker();
  ~Blocker();
  Blocker(const Blocker&) = delete;
  Blocker& operator=(const Blocker&) = delete;

  /// Enqueues the waiting kernel, and one that wakes all multiprocessors when it ends. False if one
  /// is waiting already. The work enqueued after it must have run before: loading a kernel, or
  /// allocating, may wait for the device, that is, for the waiting kernel's own end.
  bool block(cudaStream_t stream);
  /// Lets the kernel end. False if it had ended by itself, a second after it began, or if there was
  /// none.
  bool unblock();
  /// Mean SM clock from the end of the last hold to its `unblock`, MHz, by the cycles and
  /// the time of one multiprocessor; 0 if unknown. Call it once the stream is done.
  double clock_mhz() const;

 private:
  volatile HoldState* shared_ = nullptr;
  HoldState* device_shared_ = nullptr;
  HoldStamp* stamps_ = nullptr;  ///< on the device
  cudaStream_t stream_ = nullptr;
  int multiprocessors_ = 0;
  std::uint32_t hold_ = 0;
  bool held_ = false;
};

}  // namespace apod::cuda
