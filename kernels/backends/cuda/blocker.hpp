#pragma once

/// \file
/// Holds a stream with a kernel that waits for the host, so that what is enqueued behind it starts
/// back to back.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace apod::cuda {

/// Shared with the kernels. Counts, not flags: a late kernel can't mistake the next hold for its
/// own, and nothing has to be reset.
struct HoldState {
  std::uint32_t released;   ///< written by the host: holds up to this one may end
  std::uint32_t timed_out;  ///< written by the device: the last hold that ended by itself
  std::uint32_t stamped;    ///< likewise: the last hold of which the next two tell
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
  /// Throws BackendError{unsupported} where host memory can't be mapped into the device.
  Blocker();
  ~Blocker();
  Blocker(const Blocker&) = delete;
  Blocker& operator=(const Blocker&) = delete;

  /// Enqueues the waiting kernel, and one that wakes all multiprocessors when it ends. False when
  /// one is waiting already. What is enqueued behind it must have run before: loading a kernel, or
  /// allocating, may wait for the device, that is, for the hold's own end.
  bool block(cudaStream_t stream);
  /// Lets the kernel end. False when it had ended by itself, a second after it began, or when none
  /// was asked for.
  bool unblock();
  /// Mean SM clock from the end of the last hold to its `unblock`, MHz, by the cycles and the time
  /// of one multiprocessor; 0 where they are not known. Call it once the stream is done.
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
