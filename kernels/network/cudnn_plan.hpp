#pragma once

/// \file
/// What cuDNN needs to know of a network before it computes one. For .cu files only.

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "kernels/network/cudnn_operations.hpp"
#include "kernels/network/problem.hpp"

namespace apod::network {

/// A graph for each operation of the backward step.
struct Gradients {
  Gradients(const GraphMaker& maker, Algorithms algorithms)
      : of_image(maker.convolution(Convolving::image_gradient, algorithms)),
        of_weights(maker.convolution(Convolving::weight_gradient, algorithms)),
        norm(maker.norm_gradient()),
        relu(maker.relu_gradient()),
        max_pool(maker.max_pool_gradient()) {}

  OperationGraph of_image;
  OperationGraph of_weights;
  OperationGraph norm;
  OperationGraph relu;
  OperationGraph max_pool;
};

/// A graph for each operation of a step, each with its fastest engine.
struct CudnnPlan {
  CudnnPlan(const Network& network, Algorithms algorithms)
      : maker(handle.get(), network.dims(), network.math(), network.order()),
        forward(maker.convolution(Convolving::forward, algorithms)) {
    const auto need = [&](std::initializer_list<const OperationGraph*> graphs) {
      for (const auto* graph : graphs) {
        workspace_bytes = std::max(workspace_bytes, graph->workspace_bytes());
      }
    };
    need({&forward, &norm_and_relu, &max_pool});
    if (!network.backward()) return;
    const Gradients& made = gradients.emplace(maker, algorithms);
    need({&made.of_image, &made.of_weights, &made.norm, &made.relu, &made.max_pool});
  }

  Owned<cudnnHandle_t> handle = make_owned(cudnn().Create, cudnn().Destroy);
  GraphMaker maker;
  OperationGraph forward;
  OperationGraph norm_and_relu = maker.norm_and_relu();
  OperationGraph max_pool = maker.max_pool();
  std::optional<Gradients> gradients;  ///< where the step has a backward half
  std::size_t workspace_bytes = 0;     ///< enough for each of these
};

}  // namespace apod::network
