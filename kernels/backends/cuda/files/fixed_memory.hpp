#pragma once

/// \file
/// Memory at the addresses that a captured program had it at, so that pointers within it and within
/// descriptors stay right.

#include <memory>
#include <vector>

#include "kernels/api/captured_launch.hpp"

namespace apod::cuda {

class FixedMemory {
 public:
  /// Memory for the windows, shared by all who use the same ones in this process. Throws
  /// BackendError: where an address is taken in this process, with code `sticky`, because another
  /// process has another layout; or where there is too little memory. The device must be open.
  static std::shared_ptr<const FixedMemory> at(const std::vector<capture::Window>& windows);

  ~FixedMemory();
  FixedMemory(const FixedMemory&) = delete;
  FixedMemory& operator=(const FixedMemory&) = delete;

 private:
  FixedMemory() = default;
  void map_device(const std::vector<capture::Window>& windows);
  void map_host(const capture::Window& window);

  struct Range {
    unsigned long long from = 0;
    unsigned long long end = 0;
  };
  std::vector<Range> reserved_;
  std::vector<Range> mapped_;
  std::vector<unsigned long long> handles_;  ///< of mapped_
  std::vector<Range> host_;
};

}  // namespace apod::cuda
