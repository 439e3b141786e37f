#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>

#include "kernels/backends/cuda/device.hpp"
#include "kernels/backends/cuda/objects.hpp"

namespace apod::cuda {

/// Copies between plain host memory and the device through pinned buffers that several threads fill
/// or empty. The driver's own copy of plain memory does the same on one thread.
class Staging {
 public:
  /// Copies of fewer bytes would not make up for pinning the buffers, 32 MiB in all.
  static constexpr std::size_t least_bytes = std::size_t{64} << 20;

  /// Throws BackendError{out_of_memory}.
  explicit Staging(const Device& device);

  /// These return when all is done.
  void upload(std::byte* device, const std::byte* host, std::size_t bytes, Stream& stream);
  void download(std::byte* host, const std::byte* device, std::size_t bytes, Stream& stream);

 private:
  static constexpr std::size_t lane_count = 8;
  static constexpr std::size_t slots = 2;  ///< one is copied while the other is filled or emptied
  static constexpr std::size_t slot_bytes = std::size_t{2} << 20;

  struct Slot {
    std::byte* memory = nullptr;
    CudaEvent copied;
  };
  /// What one thread works with.
  struct Lane {
    /// For the piece at this offset in the lane's part.
    Slot& slot(std::size_t offset) { return slots_of.at(offset / slot_bytes % slots); }
    std::array<Slot, slots> slots_of;
  };

  /// Calls work(lane, begin, end) with a contiguous part of [0, bytes) for each lane, in parallel.
  void share(std::size_t bytes, const std::function<void(Lane&, std::size_t, std::size_t)>& work);

  const Device& device_;
  std::unique_ptr<Buffer> pinned_;
  std::array<Lane, lane_count> lanes_;
};

}  // namespace apod::cuda
