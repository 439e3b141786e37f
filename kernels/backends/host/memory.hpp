#pragma once

/// \file
/// Host memory whose allocation can fail: asking for more than the machine has is an error here,
/// not a process killed later by the kernel.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kernels/api/backend.hpp"

namespace apod::host {

/// Bytes of memory this process may use in all: the machine's, or its cgroup's limit if smaller.
std::uint64_t total_memory_bytes();

/// Bytes that are available now without swapping, within the cgroup's limit. `root` is the prefix
/// of /proc and /sys, so that a test can play another machine.
std::uint64_t available_memory_bytes(const std::string& root = "");

/// Throws BackendError{out_of_memory} if `bytes` more are not available now. Linux gives addresses
/// without memory behind them, so malloc alone would succeed and the first write would be fatal.
void require_memory(std::uint64_t bytes, MemoryKind kind);

/// Owned host memory. `pageable` is plain memory, aligned to 256 bytes. `pinned` and `device` are
/// touched beforehand, so that no page fault occurs during a measurement; `pinned` is locked as
/// well, if the process may do so.
class Memory final : public Buffer {
 public:
  /// Throws BackendError{out_of_memory}. Zero bytes give a valid address and a size of 0.
  Memory(std::size_t bytes, MemoryKind kind);
  ~Memory() override;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void* data() const override { return data_; }
  std::size_t bytes() const override { return bytes_; }
  /// Whether the pages are locked; false for kinds that are never locked.
  bool locked() const { return locked_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool locked_ = false;
};

}  // namespace apod::host
