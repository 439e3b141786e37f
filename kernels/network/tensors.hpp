#pragma once

#include "kernels/network/problem.hpp"

namespace apod::network {

/// The tensors of a task, at their places. Those of the backward pass are null in a forward one.
struct Tensors {
  const float* image = nullptr;
  const float* gradient = nullptr;
  const float* weights = nullptr;
  const float* scale = nullptr;
  const float* bias = nullptr;
  float* convolved = nullptr;
  float* mean = nullptr;
  float* inv_std = nullptr;
  float* pooled = nullptr;
  float* d_normed = nullptr;
  float* d_scale = nullptr;
  float* d_bias = nullptr;
  float* d_convolved = nullptr;
  float* d_weights = nullptr;
  float* d_image = nullptr;
};

/// The task's problem must be a Network, and its chunk not empty.
inline Tensors tensors_of(const Task& task) {
  const auto& network = static_cast<const Network&>(task.problem);
  const Dims& d = network.dims();
  const auto given = input_layout(d, network.backward());
  const auto parameters = constant_layout(d);
  const auto made = output_layout(d, network.backward());
  const auto* in = task.in().data();
  const auto* constants = static_cast<const float*>(task.constants);
  auto* out = task.out().data();
  Tensors t;
  t.image = in + given.image;
  t.weights = constants + parameters.weights;
  t.scale = constants + parameters.scale;
  t.bias = constants + parameters.bias;
  t.convolved = out + made.convolved;
  t.mean = out + made.mean;
  t.inv_std = out + made.inv_std;
  t.pooled = out + made.pooled;
  if (!network.backward()) return t;
  t.gradient = in + given.gradient;
  t.d_normed = out + made.d_normed;
  t.d_scale = out + made.d_scale;
  t.d_bias = out + made.d_bias;
  t.d_convolved = out + made.d_convolved;
  t.d_weights = out + made.d_weights;
  t.d_image = out + made.d_image;
  return t;
}

}  // namespace apod::network
