#pragma once

/// \file
/// cuDNN's modes of batch norm in training, and which of them is fastest here. For .cu files only.

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/network/cudnn_library.hpp"

namespace apod::network {

inline constexpr float one = 1;
inline constexpr float zero = 0;

/// Which of cuDNN's functions does it: the first, the one with a workspace, or that with relu.
enum class NormCall : std::uint8_t { plain, with_workspace, with_relu };

/// A mode of cuDNN and a call. Modes and calls differ in their kernels: one of them reads a tensor
/// once if the channel of a batch fits into the multiprocessors.
struct NormWay {
  cudnnBatchNormMode_t mode;
  NormCall call;
  std::size_t workspace_bytes = 0;
  std::size_t reserve_bytes = 0;  ///< what relu let through, a bit a value

  bool with_relu() const { return call == NormCall::with_relu; }
  cudnnBatchNormOps_t ops() const {
    return with_relu() ? CUDNN_BATCHNORM_OPS_BN_ACTIVATION : CUDNN_BATCHNORM_OPS_BN;
  }
};

/// The tensors of a batch norm; only its backward pass uses the gradients.
struct NormTensors {
  const float* convolved;
  const float* scale;
  const float* bias;
  float* mean;
  float* inv_std;
  float* activated;
  const float* d_normed;
  float* d_convolved;
  float* d_scale;
  float* d_bias;
};

/// Descriptors of both passes.
struct NormDescriptors {
  cudnnHandle_t handle;
  cudnnTensorDescriptor_t image;
  cudnnTensorDescriptor_t channel;  ///< one value each
  cudnnActivationDescriptor_t relu;
};

/// `workspace` has the way's workspace and reserve, one after the other.
inline cudnnStatus_t norm_forward(const NormWay& way, const NormDescriptors& d,
                                  const NormTensors& t, void* workspace) {
  if (way.call == NormCall::plain) {
    return cudnn().BatchNormalizationForwardTraining(
        d.handle, way.mode, &one, &zero, d.image, t.convolved, d.image, t.activated, d.channel,
        t.scale, t.bias, 1, nullptr, nullptr, epsilon, t.mean, t.inv_std);
  }
  auto* const relu = way.with_relu() ? d.relu : nullptr;
  auto* const reserve = static_cast<std::byte*>(workspace) + way.workspace_bytes;
  return cudnn().BatchNormalizationForwardTrainingEx(
      d.handle, way.mode, way.ops(), &one, &zero, d.image, t.convolved, nullptr, nullptr, d.image,
      t.activated, d.channel, t.scale, t.bias, 1, nullptr, nullptr, epsilon, t.mean, t.inv_std,
      relu, workspace, way.workspace_bytes, reserve, way.reserve_bytes);
}

inline cudnnStatus_t relu_in_place(const NormDescriptors& d, float* values) {
  return cudnn().ActivationForward(d.handle, d.relu, &one, d.image, values, &zero, d.image, values);
}

/// Only of batch norm: relu's gradient is one of the step's results, and a gradient that includes
/// relu does not return it.
inline cudnnStatus_t norm_backward(const NormWay& way, const NormDescriptors& d,
                                   const NormTensors& t, void* workspace) {
  if (way.call == NormCall::plain) {
    return cudnn().BatchNormalizationBackward(d.handle, way.mode, &one, &zero, &one, &zero, d.image,
                                              t.convolved, d.image, t.d_normed, d.image,
                                              t.d_convolved, d.channel, t.scale, t.d_scale,
                                              t.d_bias, epsilon, t.mean, t.inv_std);
  }
  return cudnn().BatchNormalizationBackwardEx(
      d.handle, way.mode, CUDNN_BATCHNORM_OPS_BN, &one, &zero, &one, &zero, d.image, t.convolved,
      nullptr, nullptr, d.image, t.d_normed, nullptr, nullptr, d.image, t.d_convolved, d.channel,
      t.scale, nullptr, t.d_scale, t.d_bias, epsilon, t.mean, t.inv_std, nullptr, workspace,
      way.workspace_bytes, nullptr, 0);
}

/// Measures the modes on its own tensors.
class NormTrial {
 public:
  NormTrial(const NormDescriptors& descriptors, std::int64_t values, std::int64_t channels)
      : d_(descriptors) {
    const auto take = [&](std::int64_t floats) {
      return static_cast<float*>(allocate(floats * 4));
    };
    t_.convolved = take(values);
    t_.activated = take(values);
    t_.d_normed = t_.activated;
    t_.d_convolved = take(values);
    t_.scale = take(channels);
    t_.bias = take(channels);
    t_.mean = take(channels);
    t_.inv_std = take(channels);
    t_.d_scale = take(channels);
    t_.d_bias = take(channels);
  }

  /// With relu, in the same call or in one after it.
  NormWay fastest_forward() {
    return fastest(
        {NormCall::plain, NormCall::with_workspace, NormCall::with_relu},
        [&](NormWay& way) { return forward_bytes(way); },
        [&](const NormWay& way, void* workspace) {
          const auto status = norm_forward(way, d_, t_, workspace);
          return status != CUDNN_STATUS_SUCCESS || way.with_relu()
                     ? status
                     : relu_in_place(d_, t_.activated);
        });
  }
  NormWay fastest_backward() {
    return fastest(
        {NormCall::plain, NormCall::with_workspace},
        [&](NormWay& way) { return backward_bytes(way); },
        [&](const NormWay& way, void* workspace) { return norm_backward(way, d_, t_, workspace); });
  }

 private:
  static constexpr int runs = 5;

  void* allocate(std::int64_t bytes) {
    void* memory = nullptr;
    APOD_CUDA(cudaMalloc(&memory, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 256))));
    owned_.emplace_back(memory, cudaFree);
    APOD_CUDA(cudaMemset(memory, 0, static_cast<std::size_t>(bytes)));
    return memory;
  }

  cudnnStatus_t reserve_bytes(NormWay& way) const {
    return cudnn().GetBatchNormalizationTrainingExReserveSpaceSize(
        d_.handle, way.mode, way.ops(), way.with_relu() ? d_.relu : nullptr, d_.image,
        &way.reserve_bytes);
  }
  cudnnStatus_t forward_bytes(NormWay& way) const {
    if (way.call == NormCall::plain) return CUDNN_STATUS_SUCCESS;
    const auto status = cudnn().GetBatchNormalizationForwardTrainingExWorkspaceSize(
        d_.handle, way.mode, way.ops(), d_.image, nullptr, d_.image, d_.channel,
        way.with_relu() ? d_.relu : nullptr, &way.workspace_bytes);
    way.workspace_bytes = (way.workspace_bytes + 255) / 256 * 256;  // the reserve begins there
    return status != CUDNN_STATUS_SUCCESS ? status : reserve_bytes(way);
  }
  cudnnStatus_t backward_bytes(NormWay& way) const {
    if (way.call == NormCall::plain) return CUDNN_STATUS_SUCCESS;
    const auto status = cudnn().GetBatchNormalizationBackwardExWorkspaceSize(
        d_.handle, way.mode, way.ops(), d_.image, nullptr, d_.image, nullptr, d_.image, d_.channel,
        nullptr, &way.workspace_bytes);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    // The reserve that a forward pass would have to leave for it is not kept.
    const auto reserved = reserve_bytes(way);
    return way.reserve_bytes == 0 ? reserved : CUDNN_STATUS_NOT_SUPPORTED;
  }

  /// The median of some runs, in milliseconds; nothing if cuDNN does not support it.
  template <class Run>
  std::optional<float> time_of(const NormWay& way, const Run& run) {
    void* const workspace =
        allocate(static_cast<std::int64_t>(way.workspace_bytes + way.reserve_bytes));
    if (run(way, workspace) != CUDNN_STATUS_SUCCESS) return std::nullopt;
    std::array<float, runs> times{};
    for (float& time : times) {
      APOD_CUDA(cudaEventRecord(begin_.get(), nullptr));
      check(run(way, workspace), "cudnnBatchNormalization");
      APOD_CUDA(cudaEventRecord(end_.get(), nullptr));
      APOD_CUDA(cudaEventSynchronize(end_.get()));
      APOD_CUDA(cudaEventElapsedTime(&time, begin_.get(), end_.get()));
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[runs / 2];
  }

  template <class Bytes, class Run>
  NormWay fastest(std::initializer_list<NormCall> calls, const Bytes& bytes, const Run& run) {
    std::optional<NormWay> best;
    float least = std::numeric_limits<float>::infinity();
    for (const auto mode : {CUDNN_BATCHNORM_SPATIAL, CUDNN_BATCHNORM_SPATIAL_PERSISTENT}) {
      for (const auto call : calls) {
        NormWay way{mode, call};
        const bool may = bytes(way) == CUDNN_STATUS_SUCCESS &&
                         way.workspace_bytes + way.reserve_bytes <= most_workspace_bytes;
        const auto time = may ? time_of(way, run) : std::nullopt;
        if (!time || *time >= least) continue;
        least = *time;
        best = way;
      }
    }
    if (best) return *best;
    throw BackendError(BackendError::Code::unsupported,
                       "cuDNN has no batch norm for these tensors");
  }

  using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, cudaError_t (*)(cudaEvent_t)>;
  static Event make_event() {
    cudaEvent_t event = nullptr;
    APOD_CUDA(cudaEventCreate(&event));
    return {event, cudaEventDestroy};
  }

  NormDescriptors d_;
  NormTensors t_{};
  std::vector<std::unique_ptr<void, cudaError_t (*)(void*)>> owned_;
  Event begin_ = make_event();
  Event end_ = make_event();
};

}  // namespace apod::network
