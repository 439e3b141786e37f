#pragma once

/// \file
/// Descriptors of cuDNN's backend, and the tensors of its graphs. For .cu files only.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "kernels/network/cudnn_library.hpp"
#include "kernels/network/problem.hpp"

namespace apod::network {

/// A descriptor of cuDNN's backend: of a tensor, an operation, a plan.
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t made = nullptr;
    check(cudnn().BackendCreateDescriptor(type, &made), "cudnnBackendCreateDescriptor");
    owned_ = {made, cudnn().BackendDestroyDescriptor};
  }

  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                  std::span<const T> values) {
    check(cudnn().BackendSetAttribute(get(), name, type, static_cast<std::int64_t>(values.size()),
                                      values.data()),
          "cudnnBackendSetAttribute");
    return *this;
  }
  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                  const T& value) {
    return set<T>(name, type, std::span<const T>(&value, 1));
  }
  Descriptor& set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values) {
    return set<std::int64_t>(name, CUDNN_TYPE_INT64, values);
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& other) {
    const cudnnBackendDescriptor_t handle = other.get();
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, handle);
  }

  /// Whether cuDNN supports it.
  bool try_finish() { return cudnn().BackendFinalize(get()) == CUDNN_STATUS_SUCCESS; }
  Descriptor& finish() {
    check(cudnn().BackendFinalize(get()), "cudnnBackendFinalize");
    return *this;
  }

  /// At most `values.size()` values; returns how many there are.
  template <class T>
  std::size_t read(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                   std::span<T> values) const {
    std::int64_t count = 0;
    check(cudnn().BackendGetAttribute(get(), name, type, static_cast<std::int64_t>(values.size()),
                                      &count, values.data()),
          "cudnnBackendGetAttribute");
    return std::min(static_cast<std::size_t>(count), values.size());
  }

  cudnnBackendDescriptor_t get() const { return owned_.get(); }

 private:
  std::unique_ptr<std::remove_pointer_t<cudnnBackendDescriptor_t>,
                  cudnnStatus_t (*)(cudnnBackendDescriptor_t)>
      owned_{nullptr, nullptr};
};

/// A tensor of a graph: batch, channels, rows, columns, whatever their order in memory.
class GraphTensor {
 public:
  enum class Kind : std::uint8_t {
    values,    ///< fp32 in device memory
    indices,   ///< one byte each in device memory
    constant,  ///< one fp32, given in host memory with each run
    inner,     ///< from one operation to the next, and nowhere else
  };

  GraphTensor(std::int64_t id, std::array<std::int64_t, 4> dims, Order order,
              Kind kind = Kind::values)
      : id_(id), count_(dims[0] * dims[1] * dims[2] * dims[3]), kind_(kind) {
    const auto [batch, channels, rows, cols] = dims;
    const std::array<std::int64_t, 4> strides =
        order == Order::nhwc
            ? std::array<std::int64_t, 4>{channels * rows * cols, 1, cols * channels, channels}
            : std::array<std::int64_t, 4>{channels * rows * cols, rows * cols, cols, 1};
    descriptor_.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type())
        .set(CUDNN_ATTR_TENSOR_DIMENSIONS, dims)
        .set(CUDNN_ATTR_TENSOR_STRIDES, strides)
        .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id)
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64,
             std::int64_t{kind == Kind::constant ? 4 : 16});
    if (kind == Kind::constant) {
      descriptor_.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, true);
    }
    if (kind == Kind::inner) {
      descriptor_.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, true);
    }
    descriptor_.finish();
  }

  const Descriptor& descriptor() const { return descriptor_; }
  std::int64_t id() const { return id_; }
  /// Whether a run is given it.
  bool is_bound() const { return kind_ != Kind::inner; }
  bool is_constant() const { return kind_ == Kind::constant; }
  std::int64_t bytes() const { return count_ * (kind_ == Kind::indices ? 1 : 4); }

 private:
  cudnnDataType_t type() const {
    return kind_ == Kind::indices ? CUDNN_DATA_INT8 : CUDNN_DATA_FLOAT;
  }

  std::int64_t id_;
  std::int64_t count_;
  Kind kind_;
  Descriptor descriptor_{CUDNN_BACKEND_TENSOR_DESCRIPTOR};
};

}  // namespace apod::network
