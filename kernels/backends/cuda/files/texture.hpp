#pragma once

/// \file
/// Textures over the arrays of an experiment.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/files/spec.hpp"

namespace apod::cuda {

/// Memory of the device in the order that textures have, and a texture of it.
class Texture {
 public:
  /// `sides` are the array's, at most three; one more of 2 or 4 is the values of an element. Throws
  /// std::runtime_error for a type that no texture has.
  Texture(const file::Argument& arg, const std::vector<std::int64_t>& sides) {
    auto of = sides;
    int channels = 1;
    if (of.size() > 1 && (of.back() == 2 || of.back() == 4)) {
      channels = static_cast<int>(of.back());
      of.pop_back();
    }
    const auto bits = static_cast<int>(8 * size_of(arg.type));
    const bool is_float = arg.type == ElementType::f32 || arg.type == ElementType::f16;
    const bool is_integer = is_whole(arg.type) && arg.type != ElementType::boolean && bits <= 32;
    if (of.size() > 3 || (!is_float && !is_integer)) {
      throw std::runtime_error("'" + arg.name +
                               "' can't be a texture: a texture needs f32, f16 or integers of 8 to "
                               "32 bits, in one to three dimensions");
    }
    element_ = size_of(arg.type) * static_cast<std::size_t>(channels);
    const auto kind = is_float              ? cudaChannelFormatKindFloat
                      : is_signed(arg.type) ? cudaChannelFormatKindSigned
                                            : cudaChannelFormatKindUnsigned;
    const auto more = [&](int channel) { return channels > channel ? bits : 0; };
    const auto format = cudaCreateChannelDesc(bits, more(1), more(2), more(2), kind);
    const auto side = [&](std::size_t back) {
      return back < of.size() ? static_cast<std::size_t>(of[of.size() - 1 - back]) : 0;
    };
    extent_ = {side(0), side(1), side(2)};
    cudaResourceDesc resource{};
    if (of.size() == 1) {
      // tex1Dfetch() reads memory in its usual order.
      const auto bytes = extent_.width * element_;
      APOD_CUDA(cudaMalloc(&memory_, bytes));
      resource.resType = cudaResourceTypeLinear;
      resource.res.linear = {memory_, format, bytes};
    } else {
      APOD_CUDA(cudaMalloc3DArray(&array_, &format, extent_));
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = array_;
    }
    cudaTextureDesc reading{};
    for (auto& mode : reading.addressMode)
      mode = arg.texture->wraps ? cudaAddressModeWrap : cudaAddressModeClamp;
    reading.filterMode = arg.texture->is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    reading.readMode =
        arg.texture->is_linear && !is_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    reading.normalizedCoords = arg.texture->is_normalized ? 1 : 0;
    APOD_CUDA(cudaCreateTextureObject(&object_, &resource, &reading, nullptr));
  }
  ~Texture() {
    (void)cudaDestroyTextureObject(object_);
    if (array_ != nullptr) (void)cudaFreeArray(array_);
    (void)cudaFree(memory_);
  }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  cudaTextureObject_t object() const { return object_; }
  /// From an array of the device.
  void fill(const std::byte* from, cudaStream_t stream) const {
    if (memory_ != nullptr) {
      APOD_CUDA(cudaMemcpyAsync(memory_, from, extent_.width * element_, cudaMemcpyDeviceToDevice,
                                stream));
      return;
    }
    cudaMemcpy3DParms copy{};
    const auto least = [](std::size_t side) { return side == 0 ? std::size_t{1} : side; };
    copy.srcPtr = {const_cast<std::byte*>(from), extent_.width * element_, extent_.width,
                   least(extent_.height)};
    copy.dstArray = array_;
    copy.extent = {extent_.width, least(extent_.height), least(extent_.depth)};
    copy.kind = cudaMemcpyDeviceToDevice;
    APOD_CUDA(cudaMemcpy3DAsync(&copy, stream));
  }

 private:
  cudaArray_t array_ = nullptr;  ///< of two and three dimensions
  void* memory_ = nullptr;       ///< of one
  cudaTextureObject_t object_ = 0;
  cudaExtent extent_{};
  std::size_t element_ = 0;
};

}  // namespace apod::cuda
