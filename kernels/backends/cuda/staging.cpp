#include "kernels/backends/cuda/staging.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/data/data.hpp"

namespace apod::cuda {

Staging::Staging(const Device& device)
    : device_(device), pinned_(allocate(lane_count * slots * slot_bytes, MemoryKind::pinned)) {
  auto* memory = static_cast<std::byte*>(pinned_->data());
  for (auto& lane : lanes_) {
    for (auto& slot : lane.slots_of) {
      slot.memory = memory;
      memory += slot_bytes;
    }
  }
}

void Staging::share(std::size_t bytes,
                    const std::function<void(Lane&, std::size_t, std::size_t)>& work) {
  const auto part = (bytes + lane_count - 1) / lane_count;
  parallel_for(lane_count, [&](std::int64_t first, std::int64_t last) {
    device_.make_current();
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
      work(lanes_.at(i), std::min(bytes, i * part), std::min(bytes, (i + 1) * part));
  });
}

void Staging::upload(std::byte* device, const std::byte* host, std::size_t bytes, Stream& stream) {
  share(bytes, [&](Lane& lane, std::size_t begin, std::size_t end) {
    for (auto at = begin; at < end; at += slot_bytes) {
      const auto size = std::min(slot_bytes, end - at);
      auto& slot = lane.slot(at - begin);
      slot.copied.wait();
      std::memcpy(slot.memory, host + at, size);
      APOD_CUDA(
          cudaMemcpyAsync(device + at, slot.memory, size, cudaMemcpyHostToDevice, native(stream)));
      slot.copied.record(stream);
    }
  });
  stream.synchronize();
}

void Staging::download(std::byte* host, const std::byte* device, std::size_t bytes,
                       Stream& stream) {
  share(bytes, [&](Lane& lane, std::size_t begin, std::size_t end) {
    auto next = begin;  // of the device
    for (auto at = begin; at < end; at += slot_bytes) {
      for (; next < end && next - at < slots * slot_bytes; next += slot_bytes) {
        auto& slot = lane.slot(next - begin);
        APOD_CUDA(cudaMemcpyAsync(slot.memory, device + next, std::min(slot_bytes, end - next),
                                  cudaMemcpyDeviceToHost, native(stream)));
        slot.copied.record(stream);
      }
      auto& slot = lane.slot(at - begin);
      slot.copied.wait();
      std::memcpy(host + at, slot.memory, std::min(slot_bytes, end - at));
    }
  });
}

}  // namespace apod::cuda
