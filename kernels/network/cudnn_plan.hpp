#pragma once

/// \file
/// What cuDNN needs to know of a network before it computes one. For .cu files only.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "kernels/network/cudnn_norm.hpp"

namespace apod::network {

/// Algorithms that transform tiles before multiplying (Winograd, FFT) have errors proportional to
/// the largest value of a tile, not to the values that a result depends on: if a dark patch lies
/// next to a bright one, they may fail the check.
enum class Algorithms : std::uint8_t { all, without_transforms };

/// Descriptors of a network's tensors and operations, the algorithms of its convolutions that cuDNN
/// measures to be fastest within the memory that there is, and the fastest ways to its batch norm.
class CudnnPlan {
 public:
  CudnnPlan(const Dims& d, Number math, Order order, Algorithms algorithms)
      : math_(math == Number::tf32 ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH),
        format_(order == Order::nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW),
        algorithms_(algorithms) {
    const auto n = static_cast<int>(d.batch);
    const auto c = static_cast<int>(d.channels);
    set(image, n, c, static_cast<int>(d.rows), static_cast<int>(d.cols));
    set(pooled, n, c, static_cast<int>(d.pooled_rows()), static_cast<int>(d.pooled_cols()));
    set(channel, 1, c, 1, 1);
    check(cudnn().SetFilter4dDescriptor(filter.get(), CUDNN_DATA_FLOAT, format_, c, c, 3, 3),
          "cudnnSetFilter4dDescriptor");
    check(cudnn().SetConvolution2dDescriptor(convolution.get(), 1, 1, 1, 1, 1, 1,
                                             CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
          "cudnnSetConvolution2dDescriptor");
    // The default may round to TF32.
    check(cudnn().SetConvolutionMathType(convolution.get(), math_), "cudnnSetConvolutionMathType");
    check(cudnn().SetActivationDescriptor(activation.get(), CUDNN_ACTIVATION_RELU,
                                          CUDNN_PROPAGATE_NAN, 0),
          "cudnnSetActivationDescriptor");
    check(cudnn().SetPooling2dDescriptor(pooling.get(), CUDNN_POOLING_MAX_DETERMINISTIC,
                                         CUDNN_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2),
          "cudnnSetPooling2dDescriptor");
    choose_algorithms();
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
  Owned<cudnnFilterDescriptor_t> filter =
      make_owned(cudnn().CreateFilterDescriptor, cudnn().DestroyFilterDescriptor);
  Owned<cudnnConvolutionDescriptor_t> convolution =
      make_owned(cudnn().CreateConvolutionDescriptor, cudnn().DestroyConvolutionDescriptor);
  Owned<cudnnActivationDescriptor_t> activation =
      make_owned(cudnn().CreateActivationDescriptor, cudnn().DestroyActivationDescriptor);
  Owned<cudnnPoolingDescriptor_t> pooling =
      make_owned(cudnn().CreatePoolingDescriptor, cudnn().DestroyPoolingDescriptor);
  cudnnConvolutionFwdAlgo_t forward{};
  cudnnConvolutionBwdDataAlgo_t of_image{};
  cudnnConvolutionBwdFilterAlgo_t of_weights{};
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

  static bool transforms(cudnnConvolutionFwdAlgo_t algorithm) {
    return algorithm == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD ||
           algorithm == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED ||
           algorithm == CUDNN_CONVOLUTION_FWD_ALGO_FFT ||
           algorithm == CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING;
  }
  static bool transforms(cudnnConvolutionBwdDataAlgo_t algorithm) {
    return algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD ||
           algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED ||
           algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT ||
           algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING;
  }
  static bool transforms(cudnnConvolutionBwdFilterAlgo_t algorithm) {
    return algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED ||
           algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT ||
           algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING;
  }

  /// The fastest of what `find(most, &count, list)` has timed that may be used.
  template <class Timed, class Find>
  auto choose(const Find& find) {
    std::array<Timed, 16> timed{};
    int count = 0;
    check(find(static_cast<int>(timed.size()), &count, timed.data()),
          "cudnnFindConvolutionAlgorithm");
    for (const auto& each : std::span(timed).first(static_cast<std::size_t>(count))) {
      // It also tries the default math, which may be TF32.
      const bool may = each.status == CUDNN_STATUS_SUCCESS && each.mathType == math_ &&
                       each.memory <= most_workspace_bytes &&
                       (algorithms_ == Algorithms::all || !transforms(each.algo));
      if (!may) continue;
      workspace_bytes = std::max(workspace_bytes, each.memory);
      return each.algo;
    }
    throw BackendError(BackendError::Code::unsupported,
                       "cuDNN has no algorithm for this convolution");
  }

  void choose_algorithms() {
    auto* const h = handle.get();
    forward = choose<cudnnConvolutionFwdAlgoPerf_t>([&](int most, int* count, auto* list) {
      return cudnn().FindConvolutionForwardAlgorithm(
          h, image.get(), filter.get(), convolution.get(), image.get(), most, count, list);
    });
    of_image = choose<cudnnConvolutionBwdDataAlgoPerf_t>([&](int most, int* count, auto* list) {
      return cudnn().FindConvolutionBackwardDataAlgorithm(
          h, filter.get(), image.get(), convolution.get(), image.get(), most, count, list);
    });
    of_weights = choose<cudnnConvolutionBwdFilterAlgoPerf_t>([&](int most, int* count, auto* list) {
      return cudnn().FindConvolutionBackwardFilterAlgorithm(
          h, image.get(), image.get(), convolution.get(), filter.get(), most, count, list);
    });
  }

  cudnnMathType_t math_;
  cudnnTensorFormat_t format_;
  Algorithms algorithms_;
};

}  // namespace apod::network
