#include "kernels/network/operations.hpp"

#include <string>

namespace apod::network {
namespace {

const std::string forward = "fprop";
const std::string backward = "bprop";
const std::string fp32 = "fp32";

std::string image(const Dims& d) {
  return std::to_string(d.batch) + "x" + std::to_string(d.channels) + "x" + std::to_string(d.rows) +
         "x" + std::to_string(d.cols);
}

std::string filters(const Dims& d) {
  return std::to_string(d.channels) + "x" + std::to_string(d.channels) + "x3x3";
}

double bytes(double floats) {
  return floats * sizeof(float);
}

double values(const Dims& d) {
  return static_cast<double>(d.values());
}

double pooled(const Dims& d) {
  return static_cast<double>(d.pooled());
}

/// Of one convolution: all three of a step have the same products.
double convolution_flops(const Dims& d) {
  // A side of n has n neighbours at distance 0 and n - 1 at each of the distances -1 and 1.
  const auto pairs = static_cast<double>(3 * d.rows - 2) * static_cast<double>(3 * d.cols - 2);
  const auto channels = static_cast<double>(d.channels);
  return 2 * pairs * channels * channels * static_cast<double>(d.batch);
}

double convolution_bytes(const Dims& d) {
  return bytes(2 * values(d) + static_cast<double>(d.weights()));
}

}  // namespace

Operation convolution_operation(const Dims& d, Number math) {
  return {"conv2d",
          forward,
          image(d) + " * " + filters(d),
          std::string(to_string(math)),
          convolution_flops(d),
          convolution_bytes(d)};
}

Operation weight_gradient_operation(const Dims& d, Number math) {
  return {"conv2d",
          backward,
          image(d) + " * " + image(d),
          std::string(to_string(math)),
          convolution_flops(d),
          convolution_bytes(d)};
}

Operation image_gradient_operation(const Dims& d, Number math) {
  auto operation = convolution_operation(d, math);
  operation.direction = backward;
  return operation;
}

Operation batch_norm_operation(const Dims& d) {
  const auto channels = static_cast<double>(d.channels);
  return {"batch_norm", forward,       image(d),
          fp32,         6 * values(d), bytes(2 * values(d) + 4 * channels)};
}

Operation batch_norm_gradient_operation(const Dims& d) {
  const auto channels = static_cast<double>(d.channels);
  return {"batch_norm", backward,      image(d),
          fp32,         9 * values(d), bytes(3 * values(d) + 5 * channels)};
}

Operation relu_operation(const Dims& d) {
  return {"relu", forward, image(d), fp32, values(d), bytes(2 * values(d))};
}

Operation batch_norm_relu_operation(const Dims& d) {
  auto operation = batch_norm_operation(d);
  operation.name = "batch_norm_relu";
  operation.flops += values(d);
  return operation;
}

Operation relu_gradient_operation(const Dims& d) {
  return {"relu", backward, image(d), fp32, values(d), bytes(3 * values(d))};
}

Operation max_pool_operation(const Dims& d) {
  return {"max_pool2d", forward, image(d), fp32, 3 * pooled(d), bytes(values(d) + pooled(d))};
}

Operation max_pool_gradient_operation(const Dims& d, bool by_indices) {
  if (!by_indices) {
    return {"max_pool2d", backward,      image(d),
            fp32,         3 * pooled(d), bytes(2 * (values(d) + pooled(d)))};
  }
  return {"max_pool2d", backward, image(d), fp32, 0, bytes(values(d) + pooled(d)) + pooled(d)};
}

std::vector<Operation> forward_operations(const Dims& d, Number math) {
  return {convolution_operation(d, math), batch_norm_operation(d), relu_operation(d),
          max_pool_operation(d)};
}

std::vector<Operation> backward_operations(const Dims& d, Number math) {
  return {max_pool_gradient_operation(d, false), relu_gradient_operation(d),
          batch_norm_gradient_operation(d), weight_gradient_operation(d, math),
          image_gradient_operation(d, math)};
}

}  // namespace apod::network
