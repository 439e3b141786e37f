#pragma once

/// \file
/// The operations of a step, with the least work of each: for the ranges that variants mark their
/// kernels with, and for the traffic of all of them together.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/api/operation.hpp"
#include "kernels/network/problem.hpp"

namespace apod::network {

/// The most workspace that a library's convolution may take.
inline constexpr std::uint64_t most_workspace_bytes = std::uint64_t{256} << 20;
/// Engines that are tried for a convolution: as many as PyTorch tries (cudnn.benchmark_limit).
inline constexpr std::size_t most_engines = 10;
/// That of any operation, some of which turn tensors into another order first.
inline std::uint64_t most_workspace_of(const Dims& dims) {
  return most_workspace_bytes + 3 * sizeof(float) * static_cast<std::uint64_t>(dims.values());
}
/// The most that the tensors of one operation take, on which engines are tried before the step has
/// its scratch: three images and six values a channel of the gradient of batch norm, or two images
/// and the weights of a convolution.
inline std::uint64_t most_tried_bytes(const Dims& dims) {
  const auto values = 3 * dims.values() + 6 * dims.channels;
  return sizeof(float) *
         static_cast<std::uint64_t>(std::max(values, 2 * dims.values() + dims.weights()));
}

// A multiply-add counts as two, and so does each pair of a pixel and a weight that falls inside the
// image. Batch norm: additions of a mean, then subtraction, square and addition of a variance, then
// one multiply-add a value: 6. Its gradients: an addition; subtraction, multiplication and
// multiply-add; two multiply-adds: 9. Relu and its gradient: a comparison each; a maximum of four:
// three of them.
Operation convolution_operation(const Dims& dims, Number math);
Operation batch_norm_operation(const Dims& dims);
Operation relu_operation(const Dims& dims);
Operation batch_norm_relu_operation(const Dims& dims);  ///< both in one
Operation max_pool_operation(const Dims& dims);
/// From the indices of the maxima, a byte each, or from argument and result.
Operation max_pool_gradient_operation(const Dims& dims, bool by_indices);
Operation relu_gradient_operation(const Dims& dims);
Operation batch_norm_gradient_operation(const Dims& dims);
Operation weight_gradient_operation(const Dims& dims, Number math);
Operation image_gradient_operation(const Dims& dims, Number math);

/// In the order of execution.
std::vector<Operation> forward_operations(const Dims& dims, Number math);
std::vector<Operation> backward_operations(const Dims& dims, Number math);

}  // namespace apod::network
