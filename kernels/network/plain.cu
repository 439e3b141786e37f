#include "kernels/api/registry.hpp"
#include "kernels/network/batch_norm.hpp"
#include "kernels/network/convolution.hpp"
#include "kernels/network/operations.hpp"
#include "kernels/network/pooling.hpp"
#include "kernels/network/weight_gradient.hpp"

namespace apod::network {
namespace {

/// What lies between the operations.
struct Scratch {
  Scratch(const Dims& d, void* memory) {
    const auto take = [&](std::int64_t floats) {
      auto* begin = static_cast<std::byte*>(memory) + bytes;
      bytes += static_cast<std::size_t>((floats + 63) / 64 * 64) * sizeof(float);
      return begin;
    };
    activated = reinterpret_cast<float*>(take(d.values()));
    d_activated = reinterpret_cast<float*>(take(d.values()));
    channel_partials = reinterpret_cast<TwoSums*>(take(2 * channel_parts(d) * d.channels));
    weight_partials = reinterpret_cast<float*>(take(gradient_parts(d) * d.weights()));
  }

  float* activated;    ///< relu's result
  float* d_activated;  ///< its gradient
  TwoSums* channel_partials;
  float* weight_partials;
  std::size_t bytes = 0;
};

/// With quads of values where a plane has a whole number of them, so that each is of one channel.
template <int width>
void step(const Task& task) {
  const auto& network = static_cast<const Network&>(task.problem);
  const Dims& d = network.dims();
  const Tensors t = tensors_of(task);
  const Scratch scratch(d, task.scratch);
  const auto stream = cuda::native(task.stream);
  // These kernels never round to TF32, even where they may.
  {
    const OperationScope scope([&] { return convolution_operation(d, Math::fp32); });
    launch_convolution<Weights::as_they_are>(t.image, t.weights, t.convolved, d, stream);
  }
  {
    const OperationScope scope([&] { return batch_norm_operation(d); });
    launch_batch_norm<width>(t, scratch.activated, scratch.channel_partials, d, stream);
  }
  {
    const OperationScope scope([&] { return relu_operation(d); });
    launch_relu(scratch.activated, d, stream);
  }
  {
    const OperationScope scope([&] { return max_pool_operation(d); });
    launch_max_pool(scratch.activated, t.pooled, d, stream);
  }
  if (!network.backward()) return;
  {
    const OperationScope scope([&] { return max_pool_gradient_operation(d); });
    launch_max_pool_gradient(scratch.activated, t.gradient, scratch.d_activated, d, stream);
  }
  {
    const OperationScope scope([&] { return relu_gradient_operation(d); });
    launch_relu_gradient(scratch.activated, scratch.d_activated, t.d_normed, d, stream);
  }
  {
    const OperationScope scope([&] { return batch_norm_gradient_operation(d); });
    launch_batch_norm_gradient<width>(t, scratch.channel_partials, d, stream);
  }
  {
    const OperationScope scope([&] { return weight_gradient_operation(d, Math::fp32); });
    launch_weight_gradient(t, scratch.weight_partials, d, stream);
  }
  const OperationScope scope([&] { return image_gradient_operation(d, Math::fp32); });
  launch_convolution<Weights::turned>(t.d_convolved, t.weights, t.d_image, d, stream);
}

struct Plain : Variant {
  std::size_t scratch_bytes(const Problem& problem, const Params&,
                            const Chunk& chunk) const override {
    if (chunk.output_bytes == 0) return 0;
    return Scratch(static_cast<const Network&>(problem).dims(), nullptr).bytes;
  }
  void compute(const Task& task) const override {
    if (task.chunk.output_bytes == 0) return;
    const bool quads = static_cast<const Network&>(task.problem).dims().plane() % 4 == 0;
    quads ? step<4>(task) : step<1>(task);
  }
};
const VariantRegistrar<Plain> registrar(
    "network", "plain", BackendKind::cuda,
    "an example: own kernels, one or a few per operation, no tensor cores");

}  // namespace
}  // namespace apod::network
