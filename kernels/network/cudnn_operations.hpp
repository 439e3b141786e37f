#pragma once

/// \file
/// The operations of a network's step as graphs of cuDNN. For .cu files only.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/network/cudnn_graph.hpp"
#include "kernels/network/operations.hpp"

namespace apod::network {

/// Engines that transform tiles before multiplying (Winograd, FFT) have errors proportional to the
/// largest value of a tile, not to the values that a result depends on: if a dark patch lies next
/// to a bright one, they may fail the check.
enum class Algorithms : std::uint8_t { all, without_transforms };

/// What a convolution with 3x3 weights computes, from `a` and `b`: the image from images and
/// weights, or a gradient from that of the result.
enum class Convolving : std::uint8_t {
  forward,          ///< (image, weights) -> result
  image_gradient,   ///< (gradient, weights) -> gradient of the image
  weight_gradient,  ///< (image, gradient) -> gradient of the weights
};

/// Makes the graphs of one network.
class GraphMaker {
 public:
  GraphMaker(cudnnHandle_t handle, const Dims& d, Number math, Order order)
      : handle_(handle), d_(d), math_(math), order_(order) {}

  /// Run with a, b, result.
  OperationGraph convolution(Convolving what, Algorithms algorithms) const {
    constexpr std::array<std::int64_t, 2> ones{1, 1};
    Descriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::int64_t{2})
        .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION)
        .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, ones)
        .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, ones)
        .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, ones)
        .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, ones)
        .finish();
    const auto weights = [&](std::int64_t id) {
      return GraphTensor(id, {d_.channels, d_.channels, 3, 3}, order_);
    };
    const bool of_weights = what == Convolving::weight_gradient;
    std::vector<GraphTensor> tensors;
    tensors.push_back(image('a'));
    tensors.push_back(of_weights ? image('b') : weights('b'));
    tensors.push_back(of_weights ? weights('o') : image('o'));
    const Names names = names_of(what);
    std::vector<Descriptor> operations;
    operations.emplace_back(names.operation)
        .set(names.a, tensors[0].descriptor())
        .set(names.b, tensors[1].descriptor())
        .set(names.out, tensors[2].descriptor())
        .set(names.convolution, convolution)
        .set(names.alpha, CUDNN_TYPE_FLOAT, 1.0F)
        .set(names.beta, CUDNN_TYPE_FLOAT, 0.0F)
        .finish();
    return {handle_,
            std::move(tensors),
            operations,
            {"convolution", most_workspace_bytes, most_engines, engines(algorithms)}};
  }

  /// Batch norm in training and relu. Run with image, scale, bias, epsilon, mean, 1 / deviation,
  /// result.
  OperationGraph norm_and_relu() const {
    constexpr auto mode = CUDNN_BATCH_NORM;
    constexpr auto phase = CUDNN_NORM_FWD_TRAINING;
    std::vector<GraphTensor> tensors;
    tensors.push_back(image('x'));
    for (const char id : {'s', 'b'}) tensors.push_back(channel(id));
    tensors.push_back({'e', {1, 1, 1, 1}, order_, GraphTensor::Kind::constant});
    for (const char id : {'m', 'v'}) tensors.push_back(channel(id));
    tensors.push_back(image('y'));
    tensors.push_back(image('n', GraphTensor::Kind::inner));
    const auto of = [&](std::size_t i) -> const Descriptor& { return tensors[i].descriptor(); };
    std::vector<Descriptor> operations;
    operations.emplace_back(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR)
        .set(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, mode)
        .set(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, phase)
        .set(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, of(0))
        .set(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, of(1))
        .set(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, of(2))
        .set(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, of(3))
        .set(CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, of(4))
        .set(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, of(5))
        .set(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, of(7))
        .finish();
    operations.emplace_back(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
        .set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, pointwise(CUDNN_POINTWISE_RELU_FWD))
        .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, of(7))
        .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, of(6))
        .finish();
    return {handle_, std::move(tensors), operations, plain("batch norm")};
  }

  /// Run with image, gradient, mean, 1 / deviation, scale, and the gradients of scale, bias and
  /// image.
  OperationGraph norm_gradient() const {
    constexpr auto mode = CUDNN_BATCH_NORM;
    std::vector<GraphTensor> tensors;
    for (const char id : {'x', 'g'}) tensors.push_back(image(id));
    for (const char id : {'m', 'v', 's', 'd', 'b'}) tensors.push_back(channel(id));
    tensors.push_back(image('y'));
    const auto of = [&](std::size_t i) -> const Descriptor& { return tensors[i].descriptor(); };
    std::vector<Descriptor> operations;
    operations.emplace_back(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR)
        .set(CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_TYPE_NORM_MODE, mode)
        .set(CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, of(0))
        .set(CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, of(1))
        .set(CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, of(2))
        .set(CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, of(3))
        .set(CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, of(4))
        .set(CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, of(5))
        .set(CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, of(6))
        .set(CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, of(7))
        .finish();
    return {handle_, std::move(tensors), operations, plain("gradient of batch norm")};
  }

  /// Run with relu's result, its gradient, the gradient of its argument. cuDNN 9.19 has engines for
  /// tensors in NHWC alone; the operation is elementwise, so any packed order will do.
  OperationGraph relu_gradient() const {
    std::vector<GraphTensor> tensors;
    for (const char id : {'x', 'g', 'y'}) {
      tensors.push_back({id, {d_.batch, d_.channels, d_.rows, d_.cols}, Order::nhwc});
    }
    std::vector<Descriptor> operations;
    operations.emplace_back(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
        .set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, pointwise(CUDNN_POINTWISE_RELU_BWD))
        .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensors[0].descriptor())
        .set(CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, tensors[1].descriptor())
        .set(CUDNN_ATTR_OPERATION_POINTWISE_DXDESC, tensors[2].descriptor())
        .finish();
    return {handle_, std::move(tensors), operations, plain("gradient of relu")};
  }

  /// Whether max-pooling leaves where its maxima were. cuDNN 9.19 computes its gradient from the
  /// indices in NHWC, and from argument and result in NCHW, each in no other way.
  bool has_indices() const { return order_ == Order::nhwc; }

  /// Run with image, result, and, if it has them, indices.
  OperationGraph max_pool() const {
    std::vector<GraphTensor> tensors;
    tensors.push_back(image('x'));
    tensors.push_back(pooled('y'));
    if (has_indices()) tensors.push_back(pooled('i', GraphTensor::Kind::indices));
    const Descriptor maxima = resample();
    std::vector<Descriptor> operations;
    auto& operation = operations.emplace_back(CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, maxima)
        .set(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, tensors[0].descriptor())
        .set(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, tensors[1].descriptor());
    if (has_indices()) {
      operation.set(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC, tensors[2].descriptor());
    }
    operation.finish();
    return {handle_, std::move(tensors), operations, plain("max-pooling")};
  }

  /// Run with the gradient of the result, that of the image, and the indices, or else image and
  /// result.
  OperationGraph max_pool_gradient() const {
    std::vector<GraphTensor> tensors;
    tensors.push_back(pooled('g'));
    tensors.push_back(image('d'));
    const Descriptor maxima = resample();
    std::vector<Descriptor> operations;
    auto& operation = operations.emplace_back(CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC, maxima);
    if (has_indices()) {
      tensors.push_back(pooled('i', GraphTensor::Kind::indices));
      operation.set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_IDXDESC, tensors[2].descriptor());
    } else {
      tensors.push_back(image('x'));
      tensors.push_back(pooled('y'));
      operation.set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_XDESC, tensors[2].descriptor())
          .set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_YDESC, tensors[3].descriptor());
    }
    operation.set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC, tensors[0].descriptor())
        .set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC, tensors[1].descriptor())
        .finish();
    return {handle_, std::move(tensors), operations, plain("gradient of max-pooling")};
  }

 private:
  /// A convolution as an operation, and what cuDNN calls its attributes.
  struct Names {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t a, b, out, convolution, alpha, beta;
  };
  static Names names_of(Convolving what) {
    switch (what) {
      case Convolving::image_gradient:
        return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
      case Convolving::weight_gradient:
        return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
      case Convolving::forward:
        break;
    }
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
  }

  /// Whether an engine computes in the type, and transforms no tile where that is not wanted.
  template <bool rounding, bool transforming>
  static bool computes_so(Notes notes) {
    bool rounds = false;
    bool transforms = false;
    for (const auto note : notes) {
      rounds = rounds || note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE ||
               note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS;
      transforms = transforms || note == CUDNN_NUMERICAL_NOTE_FFT ||
                   (note >= CUDNN_NUMERICAL_NOTE_WINOGRAD &&
                    note <= CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13);
    }
    return rounds == rounding && (transforming || !transforms);
  }
  bool (*engines(Algorithms algorithms) const)(Notes) {
    const bool all = algorithms == Algorithms::all;
    if (math_ == Number::tf32) return all ? computes_so<true, true> : computes_so<true, false>;
    return all ? computes_so<false, true> : computes_so<false, false>;
  }

  /// Some engines transpose a tensor in workspace.
  EngineChoice plain(const char* what) const { return {what, most_workspace_of(d_), 2}; }

  GraphTensor image(std::int64_t id, GraphTensor::Kind kind = GraphTensor::Kind::values) const {
    return {id, {d_.batch, d_.channels, d_.rows, d_.cols}, order_, kind};
  }
  GraphTensor pooled(std::int64_t id, GraphTensor::Kind kind = GraphTensor::Kind::values) const {
    return {id, {d_.batch, d_.channels, d_.pooled_rows(), d_.pooled_cols()}, order_, kind};
  }
  GraphTensor channel(std::int64_t id) const { return {id, {1, d_.channels, 1, 1}, order_}; }

  static Descriptor pointwise(cudnnPointwiseMode_t mode) {
    Descriptor made(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    made.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode)
        .set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
        .finish();
    return made;
  }
  /// Maxima of 2x2 pixels.
  static Descriptor resample() {
    constexpr std::array<cudnnFraction_t, 2> two{{{2, 1}, {2, 1}}};
    constexpr std::array<cudnnFraction_t, 2> none{{{0, 1}, {0, 1}}};
    Descriptor made(CUDNN_BACKEND_RESAMPLE_DESCRIPTOR);
    made.set(CUDNN_ATTR_RESAMPLE_MODE, CUDNN_TYPE_RESAMPLE_MODE, CUDNN_RESAMPLE_MAXPOOL)
        .set(CUDNN_ATTR_RESAMPLE_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_RESAMPLE_PADDING_MODE, CUDNN_TYPE_PADDING_MODE, CUDNN_NEG_INF_PAD)
        .set(CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::int64_t{2});
    for (const auto name : {CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, CUDNN_ATTR_RESAMPLE_STRIDES}) {
      made.set<cudnnFraction_t>(name, CUDNN_TYPE_FRACTION, two);
    }
    for (const auto name : {CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, CUDNN_ATTR_RESAMPLE_POST_PADDINGS}) {
      made.set<cudnnFraction_t>(name, CUDNN_TYPE_FRACTION, none);
    }
    made.finish();
    return made;
  }

  cudnnHandle_t handle_;
  Dims d_;
  Number math_;
  Order order_;
};

}  // namespace apod::network
