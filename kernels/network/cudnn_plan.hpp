#pragma once

/// \file
/// What cuDNN needs to know of a network before it computes one. For .cu files only.

#include <algorithm>

#include "kernels/network/cudnn_graph.hpp"
#include "kernels/network/cudnn_norm.hpp"

namespace apod::network {

/// The graphs of a network's convolutions, each with its fastest engine; descriptors of its other
/// tensors and operations, for which cuDNN's graphs have no engine in fp32, and the fastest ways to
/// its batch norm.
class CudnnPlan {
 public:
  CudnnPlan(const Dims& d, Number math, Order order, Algorithms algorithms)
      : forward(handle.get(), d, math, order, algorithms, Convolving::forward),
        of_image(handle.get(), d, math, order, algorithms, Convolving::image_gradient),
        of_weights(handle.get(), d, math, order, algorithms, Convolving::weight_gradient),
        format_(order == Order::nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW) {
    const auto n = static_cast<int>(d.batch);
    const auto c = static_cast<int>(d.channels);
    set(image, n, c, static_cast<int>(d.rows), static_cast<int>(d.cols));
    set(pooled, n, c, static_cast<int>(d.pooled_rows()), static_cast<int>(d.pooled_cols()));
    set(channel, 1, c, 1, 1);
    check(cudnn().SetActivationDescriptor(activation.get(), CUDNN_ACTIVATION_RELU,
                                          CUDNN_PROPAGATE_NAN, 0),
          "cudnnSetActivationDescriptor");
    check(cudnn().SetPooling2dDescriptor(pooling.get(), CUDNN_POOLING_MAX_DETERMINISTIC,
                                         CUDNN_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2),
          "cudnnSetPooling2dDescriptor");
    for (const auto* graph : {&forward, &of_image, &of_weights}) {
      workspace_bytes = std::max(workspace_bytes, graph->workspace_bytes());
    }
    NormTrial trial(norm_descriptors(), d.values(), d.channels);
    norm = trial.fastest_forward();
    norm_gradient = trial.fastest_backward();
    for (const auto& way : {norm, norm_gradient}) {
      workspace_bytes = std::max(workspace_bytes, way.workspace_bytes + way.reserve_bytes);
    }
  }

  static Owned<cudnnTensorDescriptor_t> make_tensor() {
    return make_owned(cudnn().CreateTensorDescriptor, cudnn().DestroyTensorDescriptor);
  }

  Owned<cudnnHandle_t> handle = make_owned(cudnn().Create, cudnn().Destroy);
  Owned<cudnnTensorDescriptor_t> image = make_tensor();
  Owned<cudnnTensorDescriptor_t> pooled = make_tensor();
  Owned<cudnnTensorDescriptor_t> channel = make_tensor();  ///< one value each
  Owned<cudnnActivationDescriptor_t> activation =
      make_owned(cudnn().CreateActivationDescriptor, cudnn().DestroyActivationDescriptor);
  Owned<cudnnPoolingDescriptor_t> pooling =
      make_owned(cudnn().CreatePoolingDescriptor, cudnn().DestroyPoolingDescriptor);
  ConvolutionGraph forward;
  ConvolutionGraph of_image;
  ConvolutionGraph of_weights;
  NormWay norm{};
  NormWay norm_gradient{};
  std::size_t workspace_bytes = 0;  ///< enough for each of these

  NormDescriptors norm_descriptors() const {
    return {handle.get(), image.get(), channel.get(), activation.get()};
  }

 private:
  void set(const Owned<cudnnTensorDescriptor_t>& tensor, int n, int c, int h, int w) const {
    check(cudnn().SetTensor4dDescriptor(tensor.get(), format_, CUDNN_DATA_FLOAT, n, c, h, w),
          "cudnnSetTensor4dDescriptor");
  }

  cudnnTensorFormat_t format_;
};

}  // namespace apod::network
