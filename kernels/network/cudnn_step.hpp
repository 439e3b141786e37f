#pragma once

/// \file
/// A step of the network by cuDNN, operation by operation. For .cu files only; without headers of
/// cuDNN 9 or later there is no such variant.

#include <list>
#include <string>

#include "kernels/api/registry.hpp"

#if __has_include(<cudnn_version.h>)
#include <cudnn_version.h>
#endif

#if defined(CUDNN_MAJOR) && CUDNN_MAJOR >= 9
#include "kernels/backends/cuda/stream.hpp"
#include "kernels/network/cudnn_plan.hpp"
#include "kernels/network/tensors.hpp"

namespace apod::network {

/// This thread's own for the current device. Making one takes long, and a handle allocates; those
/// of the last few networks are kept.
inline const CudnnPlan& plan_of(const Network& network, Algorithms algorithms) {
  struct Entry {
    int device;
    Dims dims;
    Number math;
    Order order;
    Algorithms algorithms;
    CudnnPlan plan;
  };
  constexpr std::size_t most = 8;
  thread_local std::list<Entry> entries;
  int device = 0;
  APOD_CUDA(cudaGetDevice(&device));
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    const bool same = entry->device == device && entry->dims == network.dims() &&
                      entry->math == network.math() && entry->order == network.order() &&
                      entry->algorithms == algorithms;
    if (!same) continue;
    entries.splice(entries.begin(), entries, entry);
    return entry->plan;
  }
  entries.push_front({device, network.dims(), network.math(), network.order(), algorithms,
                      CudnnPlan(network.dims(), network.math(), network.order(), algorithms)});
  if (entries.size() > most) entries.pop_back();
  return entries.front().plan;
}

/// Memory between the operations.
struct Scratch {
  Scratch(const Network& network, const CudnnPlan& plan, void* memory) {
    const auto tensor = tensor_bytes(network.dims());
    auto* begin = static_cast<std::byte*>(memory);
    activated = reinterpret_cast<float*>(begin);
    d_activated = reinterpret_cast<float*>(begin + tensor);
    workspace = begin + 2 * tensor;
    bytes = bytes_of(network.dims(), plan.workspace_bytes);
  }
  static std::size_t tensor_bytes(const Dims& d) {
    return static_cast<std::size_t>((d.values() + 63) / 64 * 64) * sizeof(float);
  }
  static std::size_t bytes_of(const Dims& d, std::size_t workspace_bytes) {
    return 2 * tensor_bytes(d) + workspace_bytes;
  }

  float* activated;    ///< relu's result
  float* d_activated;  ///< its gradient
  void* workspace;
  std::size_t bytes;
};

inline NormTensors norm_tensors(const Tensors& t, const Scratch& scratch) {
  return {t.convolved,       t.scale,    t.bias,        t.mean,    t.inv_std,
          scratch.activated, t.d_normed, t.d_convolved, t.d_scale, t.d_bias};
}

inline void forward(const Network& network, const CudnnPlan& plan, const Tensors& t,
                    const Scratch& scratch) {
  const Dims& d = network.dims();
  auto* const handle = plan.handle.get();
  auto* const image = plan.image.get();
  {
    const OperationScope scope([&] { return convolution_operation(d, network.math()); });
    check(plan.forward.run(handle, t.image, t.weights, t.convolved, scratch.workspace),
          "cudnnBackendExecute");
  }
  {
    const OperationScope scope([&] {
      return plan.norm.with_relu() ? batch_norm_relu_operation(d) : batch_norm_operation(d);
    });
    check(norm_forward(plan.norm, plan.norm_descriptors(), norm_tensors(t, scratch),
                       scratch.workspace),
          "cudnnBatchNormalizationForwardTraining");
  }
  if (!plan.norm.with_relu()) {
    const OperationScope scope([&] { return relu_operation(d); });
    check(relu_in_place(plan.norm_descriptors(), scratch.activated), "cudnnActivationForward");
  }
  const OperationScope scope([&] { return max_pool_operation(d); });
  check(cudnn().PoolingForward(handle, plan.pooling.get(), &one, image, scratch.activated, &zero,
                               plan.pooled.get(), t.pooled),
        "cudnnPoolingForward");
}

inline void backward(const Network& network, const CudnnPlan& plan, const Tensors& t,
                     const Scratch& scratch) {
  const Dims& d = network.dims();
  auto* const handle = plan.handle.get();
  auto* const image = plan.image.get();
  {
    const OperationScope scope([&] { return max_pool_gradient_operation(d); });
    check(cudnn().PoolingBackward(handle, plan.pooling.get(), &one, plan.pooled.get(), t.pooled,
                                  plan.pooled.get(), t.gradient, image, scratch.activated, &zero,
                                  image, scratch.d_activated),
          "cudnnPoolingBackward");
  }
  {
    const OperationScope scope([&] { return relu_gradient_operation(d); });
    check(cudnn().ActivationBackward(handle, plan.activation.get(), &one, image, scratch.activated,
                                     image, scratch.d_activated, image, scratch.activated, &zero,
                                     image, t.d_normed),
          "cudnnActivationBackward");
  }
  {
    const OperationScope scope([&] { return batch_norm_gradient_operation(d); });
    check(norm_backward(plan.norm_gradient, plan.norm_descriptors(), norm_tensors(t, scratch),
                        scratch.workspace),
          "cudnnBatchNormalizationBackward");
  }
  {
    const OperationScope scope([&] { return weight_gradient_operation(d, network.math()); });
    check(plan.of_weights.run(handle, t.image, t.d_convolved, t.d_weights, scratch.workspace),
          "cudnnBackendExecute");
  }
  const OperationScope scope([&] { return image_gradient_operation(d, network.math()); });
  check(plan.of_image.run(handle, t.d_convolved, t.weights, t.d_image, scratch.workspace),
        "cudnnBackendExecute");
}

template <Algorithms algorithms>
struct CudnnVariant : Variant {
  std::size_t scratch_bytes(const Problem& problem, const Params&, const Chunk&) const override {
    const auto& network = static_cast<const Network&>(problem);
    return Scratch(network, plan_of(network, algorithms), nullptr).bytes;
  }
  std::size_t most_scratch_bytes(const Params& params) const override {
    return Scratch::bytes_of(dims_of(params), most_workspace_bytes);
  }
  void compute(const Task& task) const override {
    const auto& network = static_cast<const Network&>(task.problem);
    const auto& plan = plan_of(network, algorithms);
    const Scratch scratch(network, plan, task.scratch);
    const Tensors t = tensors_of(task);
    check(cudnn().SetStream(plan.handle.get(), cuda::native(task.stream)), "cudnnSetStream");
    forward(network, plan, t, scratch);
    if (network.backward()) backward(network, plan, t, scratch);
  }
};

/// Why cuDNN can't be used here; empty if it can.
inline std::string cudnn_missing() {
  return cudnn_library().missing();
}

}  // namespace apod::network
#else
namespace apod::network {

enum class Algorithms { all, without_transforms };
template <Algorithms>
using CudnnVariant = void;
inline std::string cudnn_missing() {
  return "built without cuDNN: there were no headers of version 9 or later";
}

}  // namespace apod::network
#endif
