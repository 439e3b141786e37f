#pragma once

/// \file
/// A step of the network by cuDNN, operation by operation. For .cu files only; without headers of
/// cuDNN 9.8 or later there is no such variant.

#include <algorithm>
#include <initializer_list>
#include <list>
#include <span>
#include <string>

#include "kernels/api/registry.hpp"

#if __has_include(<cudnn_version.h>)
#include <cudnn_version.h>
#endif

#if defined(CUDNN_VERSION) && CUDNN_VERSION >= 90800
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
    bool backward;
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
                      entry->backward == network.backward() && entry->algorithms == algorithms;
    if (!same) continue;
    entries.splice(entries.begin(), entries, entry);
    return entry->plan;
  }
  entries.push_front({device, network.dims(), network.math(), network.order(), network.backward(),
                      algorithms, CudnnPlan(network, algorithms)});
  if (entries.size() > most) entries.pop_back();
  return entries.front().plan;
}

/// Memory between the operations.
struct Scratch {
  Scratch(const Network& network, const CudnnPlan& plan, void* memory) {
    const auto& d = network.dims();
    auto* begin = static_cast<std::byte*>(memory);
    activated = reinterpret_cast<float*>(begin);
    d_activated = reinterpret_cast<float*>(begin + tensor_bytes(d));
    indices = begin + 2 * tensor_bytes(d);
    workspace = begin + between_bytes(d);
    bytes = between_bytes(d) + plan.workspace_bytes;
  }
  /// A multiple of 256.
  static std::size_t tensor_bytes(const Dims& d) {
    return static_cast<std::size_t>((d.values() + 63) / 64 * 64) * sizeof(float);
  }
  /// Two tensors, and an index for each value that is left by max-pooling.
  static std::size_t between_bytes(const Dims& d) {
    return 2 * tensor_bytes(d) + static_cast<std::size_t>((d.pooled() + 255) / 256 * 256);
  }

  float* activated;    ///< relu's result
  float* d_activated;  ///< its gradient
  void* indices;       ///< of the maxima
  void* workspace;
  std::size_t bytes;
};

/// Runs a graph with these tensors, as an operation that tracers see.
template <class Operation>
void run(const CudnnPlan& plan, const OperationGraph& graph,
         std::initializer_list<const void*> places, const Scratch& scratch,
         const Operation& operation) {
  const OperationScope scope(operation);
  graph.run(plan.handle.get(), std::span(places.begin(), places.size()), scratch.workspace);
}

inline void forward(const Network& network, const CudnnPlan& plan, const Tensors& t,
                    const Scratch& scratch) {
  const Dims& d = network.dims();
  run(plan, plan.forward, {t.image, t.weights, t.convolved}, scratch,
      [&] { return convolution_operation(d, network.math()); });
  run(plan, plan.norm_and_relu,
      {t.convolved, t.scale, t.bias, &epsilon, t.mean, t.inv_std, scratch.activated}, scratch,
      [&] { return batch_norm_relu_operation(d); });
  const auto pooling = [&] { return max_pool_operation(d); };
  if (plan.maker.has_indices()) {
    run(plan, plan.max_pool, {scratch.activated, t.pooled, scratch.indices}, scratch, pooling);
  } else {
    run(plan, plan.max_pool, {scratch.activated, t.pooled}, scratch, pooling);
  }
}

inline void backward(const Network& network, const CudnnPlan& plan, const Tensors& t,
                     const Scratch& scratch) {
  const Dims& d = network.dims();
  const Gradients& gradients = *plan.gradients;
  const auto pooling = [&] { return max_pool_gradient_operation(d, plan.maker.has_indices()); };
  if (plan.maker.has_indices()) {
    run(plan, gradients.max_pool, {t.gradient, scratch.d_activated, scratch.indices}, scratch,
        pooling);
  } else {
    run(plan, gradients.max_pool, {t.gradient, scratch.d_activated, scratch.activated, t.pooled},
        scratch, pooling);
  }
  run(plan, gradients.relu, {scratch.activated, scratch.d_activated, t.d_normed}, scratch,
      [&] { return relu_gradient_operation(d); });
  run(plan, gradients.norm,
      {t.convolved, t.d_normed, t.mean, t.inv_std, t.scale, t.d_scale, t.d_bias, t.d_convolved},
      scratch, [&] { return batch_norm_gradient_operation(d); });
  run(plan, gradients.of_weights, {t.image, t.d_convolved, t.d_weights}, scratch,
      [&] { return weight_gradient_operation(d, network.math()); });
  run(plan, gradients.of_image, {t.d_convolved, t.weights, t.d_image}, scratch,
      [&] { return image_gradient_operation(d, network.math()); });
}

template <Algorithms algorithms>
struct CudnnVariant : Variant {
  /// cuDNN 9.19 has engines of batch norm for numbers of channels that 4 divides, and none for 1,
  /// 2, 3, 6, 9 and 17.
  std::optional<std::string> rejects(const Params& params) const override {
    if (dims_of(params).channels % 4 == 0) return std::nullopt;
    return "channels is not a multiple of 4, and cuDNN 9.19 has no batch norm for such numbers";
  }
  /// Winograd and FFT do fewer operations.
  bool executes_counted_work(const Params&) const override {
    return algorithms == Algorithms::without_transforms;
  }
  std::size_t scratch_bytes(const Problem& problem, const Params&, const Chunk&) const override {
    const auto& network = static_cast<const Network&>(problem);
    return Scratch(network, plan_of(network, algorithms), nullptr).bytes;
  }
  std::size_t most_scratch_bytes(const Params& params) const override {
    const auto d = dims_of(params);
    return most_workspace_of(d) +
           std::max<std::size_t>(Scratch::between_bytes(d), most_tried_bytes(d));
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
  return "built without cuDNN: headers of version 9.8 or later were not found";
}

}  // namespace apod::network
#endif
