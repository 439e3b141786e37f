#pragma once

/// \file
/// cuDNN's functions, and what it needs to know of a network before it computes one. For .cu files
/// only.

#include <cudnn.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/backends/cuda/library.hpp"
#include "kernels/network/operations.hpp"

namespace apod::network {

inline const cuda::Library& cudnn_library() {
  static const cuda::Library library("cudnn", CUDNN_MAJOR);
  return library;
}

/// The functions that are used here, each typed as cudnn.h declares it.
struct Cudnn {
#define APOD_CUDNN(name) \
  decltype(::cudnn##name)* name = cudnn_library().function<decltype(::cudnn##name)>("cudnn" #name)
  APOD_CUDNN(GetErrorString);
  APOD_CUDNN(Create);
  APOD_CUDNN(Destroy);
  APOD_CUDNN(SetStream);
  APOD_CUDNN(CreateTensorDescriptor);
  APOD_CUDNN(DestroyTensorDescriptor);
  APOD_CUDNN(SetTensor4dDescriptor);
  APOD_CUDNN(CreateFilterDescriptor);
  APOD_CUDNN(DestroyFilterDescriptor);
  APOD_CUDNN(SetFilter4dDescriptor);
  APOD_CUDNN(CreateConvolutionDescriptor);
  APOD_CUDNN(DestroyConvolutionDescriptor);
  APOD_CUDNN(SetConvolution2dDescriptor);
  APOD_CUDNN(SetConvolutionMathType);
  APOD_CUDNN(CreateActivationDescriptor);
  APOD_CUDNN(DestroyActivationDescriptor);
  APOD_CUDNN(SetActivationDescriptor);
  APOD_CUDNN(CreatePoolingDescriptor);
  APOD_CUDNN(DestroyPoolingDescriptor);
  APOD_CUDNN(SetPooling2dDescriptor);
  APOD_CUDNN(FindConvolutionForwardAlgorithm);
  APOD_CUDNN(ConvolutionForward);
  APOD_CUDNN(FindConvolutionBackwardDataAlgorithm);
  APOD_CUDNN(ConvolutionBackwardData);
  APOD_CUDNN(FindConvolutionBackwardFilterAlgorithm);
  APOD_CUDNN(ConvolutionBackwardFilter);
  APOD_CUDNN(BatchNormalizationForwardTraining);
  APOD_CUDNN(BatchNormalizationBackward);
  APOD_CUDNN(ActivationForward);
  APOD_CUDNN(ActivationBackward);
  APOD_CUDNN(PoolingForward);
  APOD_CUDNN(PoolingBackward);
#undef APOD_CUDNN
};

/// Throws BackendError{unsupported} where the library is missing.
inline const Cudnn& cudnn() {
  static const Cudnn functions;
  return functions;
}

/// Throws BackendError for a status that is an error. Their thousands are cuDNN's categories.
inline void check(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  using Code = BackendError::Code;
  const bool memory = status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED ||
                      status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
  const auto category = status / 1000;
  const auto code = memory                                             ? Code::out_of_memory
                    : category == CUDNN_STATUS_NOT_SUPPORTED / 1000    ? Code::unsupported
                    : category == CUDNN_STATUS_EXECUTION_FAILED / 1000 ? Code::sticky
                                                                       : Code::other;
  throw BackendError(code, std::string(call) + ": " + cudnn().GetErrorString(status));
}

/// A handle or a descriptor, and how it is given back.
template <class T>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, cudnnStatus_t (*)(T)>;

template <class T>
Owned<T> make_owned(cudnnStatus_t (*create)(T*), cudnnStatus_t (*destroy)(T)) {
  T made = nullptr;
  check(create(&made), "cudnnCreate");
  return Owned<T>(made, destroy);
}

/// What transforms its tiles before it multiplies them (Winograd, FFT) has errors in proportion to
/// the largest value of a tile, not to those that a result is made of: where a dark patch lies
/// beside a bright one, the check may fail it.
enum class Algorithms : std::uint8_t { all, without_transforms };

/// Descriptors of a network's tensors and operations, and the algorithms of its convolutions: those
/// that cuDNN measures to be fastest within the memory that there is.
class CudnnPlan {
 public:
  CudnnPlan(const Dims& d, Math math, Algorithms algorithms)
      : math_(math == Math::tf32 ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH), algorithms_(algorithms) {
    const auto n = static_cast<int>(d.batch);
    const auto c = static_cast<int>(d.channels);
    set(image, n, c, static_cast<int>(d.rows), static_cast<int>(d.cols));
    set(pooled, n, c, static_cast<int>(d.pooled_rows()), static_cast<int>(d.pooled_cols()));
    set(channel, 1, c, 1, 1);
    check(cudnn().SetFilter4dDescriptor(filter.get(), CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, c, c, 3,
                                        3),
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
  std::size_t workspace_bytes = 0;  ///< enough for each of the three

 private:
  static void set(const Owned<cudnnTensorDescriptor_t>& tensor, int n, int c, int h, int w) {
    check(cudnn().SetTensor4dDescriptor(tensor.get(), CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h,
                                        w),
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
    for (const auto& one : std::span(timed).first(static_cast<std::size_t>(count))) {
      // It also tries the default math, which may be TF32.
      const bool may = one.status == CUDNN_STATUS_SUCCESS && one.mathType == math_ &&
                       one.memory <= most_workspace_bytes &&
                       (algorithms_ == Algorithms::all || !transforms(one.algo));
      if (!may) continue;
      workspace_bytes = std::max(workspace_bytes, one.memory);
      return one.algo;
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
  Algorithms algorithms_;
};

}  // namespace apod::network
