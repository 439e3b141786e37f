#pragma once

/// \file
/// What cuDNN needs to know of a network before it computes one. For .cu files only.

#include <algorithm>

#include "kernels/network/cudnn_operations.hpp"

namespace apod::network {

/// A graph for each operation of a step, each with its fastest engine.
struct CudnnPlan {
  CudnnPlan(const Dims& d, Number math, Order order, Algorithms algorithms)
      : maker(handle.get(), d, math, order),
        forward(maker.convolution(Convolving::forward, algorithms)),
        of_image(maker.convolution(Convolving::image_gradient, algorithms)),
        of_weights(maker.convolution(Convolving::weight_gradient, algorithms)) {
    for (const auto* graph : {&forward, &of_image, &of_weights, &norm_and_relu, &norm_gradient,
                              &relu_gradient, &max_pool, &max_pool_gradient}) {
      workspace_bytes = std::max(workspace_bytes, graph->workspace_bytes());
    }
  }

  Owned<cudnnHandle_t> handle = make_owned(cudnn().Create, cudnn().Destroy);
  GraphMaker maker;
  OperationGraph forward;
  OperationGraph of_image;
  OperationGraph of_weights;
  OperationGraph norm_and_relu = maker.norm_and_relu();
  OperationGraph norm_gradient = maker.norm_gradient();
  OperationGraph relu_gradient = maker.relu_gradient();
  OperationGraph max_pool = maker.max_pool();
  OperationGraph max_pool_gradient = maker.max_pool_gradient();
  std::size_t workspace_bytes = 0;  ///< enough for each of these
};

}  // namespace apod::network
