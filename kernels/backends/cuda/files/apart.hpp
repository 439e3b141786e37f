#pragma once

/// \file
/// The arrays of a launch where a memory checker looks.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/api/workload.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/data/poison.hpp"
#include "kernels/files/launch.hpp"

namespace apod::cuda {

/// Where each array of a launch is in the buffers of a task; null for scalars.
inline std::vector<void*> array_addresses(const std::vector<file::Argument>& args,
                                          const file::Layout& layout, const Task& task) {
  std::vector<void*> addresses(args.size());
  for (std::size_t a = 0; a < args.size(); ++a) {
    const auto& place = layout.args[a];
    if (args[a].shape.empty()) continue;
    if (args[a].role == file::Role::in) {
      addresses[a] = static_cast<std::byte*>(const_cast<void*>(task.input)) + place.in_input;
    } else if (args[a].role == file::Role::scratch) {
      addresses[a] = static_cast<std::byte*>(task.scratch) + place.in_scratch;
    } else {
      addresses[a] = static_cast<std::byte*>(task.output) + place.in_output;
    }
  }
  return addresses;
}

/// Copies of a task's arrays, each in an allocation of its exact size. In the buffers an array is
/// between others, and an access beyond it is inside of an allocation. What a launch is given no
/// content for is as cudaMalloc leaves it, or poison.
class ApartArrays {
 public:
  /// Enqueues the copies on the task's stream. Throws BackendError if memory is short.
  ApartArrays(const std::vector<file::Argument>& args, const file::Layout& layout, const Task& task)
      : stream_(native(task.stream)), addresses_(array_addresses(args, layout, task)) {
    for (std::size_t a = 0; a < args.size(); ++a) {
      if (addresses_[a] == nullptr) continue;
      const auto role = args[a].role;
      auto& array = arrays_.emplace_back(addresses_[a], layout.args[a].bytes);
      addresses_[a] = array.own.get();
      array.is_output = file::is_output(args[a]);
      const bool has_content = role != file::Role::out && role != file::Role::scratch;
      if (has_content) {
        copy(array.own.get(), array.buffer, array.bytes);
      } else if (poisons_memory()) {
        APOD_CUDA(cudaMemsetAsync(array.own.get(), poison_byte, array.bytes, stream_));
      }
    }
  }

  /// By argument; null for scalars.
  const std::vector<void*>& addresses() const { return addresses_; }

  /// Enqueues the copies of what the launch wrote to the task's output.
  void copy_back() const {
    for (const auto& array : arrays_) {
      if (array.is_output) copy(array.buffer, array.own.get(), array.bytes);
    }
  }

 private:
  struct Array {
    Array(void* in_buffer, std::size_t size) : buffer(in_buffer), bytes(size) {
      void* made = nullptr;
      APOD_CUDA(cudaMalloc(&made, size));
      own.reset(made);
    }
    void* buffer;
    std::size_t bytes;
    bool is_output = false;
    std::unique_ptr<void, cudaError_t (*)(void*)> own{nullptr, cudaFree};
  };

  void copy(void* to, const void* from, std::size_t bytes) const {
    APOD_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_));
  }

  cudaStream_t stream_;
  std::vector<void*> addresses_;
  std::vector<Array> arrays_;
};

}  // namespace apod::cuda
