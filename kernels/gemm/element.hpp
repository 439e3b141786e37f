#pragma once

/// \file
/// The types of the inputs on the device.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/gemm/problem.hpp"

namespace apod::gemm {

__device__ inline float to_float(float value) {
  return value;
}
__device__ inline float to_float(__half value) {
  return __half2float(value);
}
__device__ inline float to_float(__nv_bfloat16 value) {
  return __bfloat162float(value);
}

/// Calls launch(element) with a value of the type that `type` is stored in.
template <class Launch>
void with_element(Number type, const Launch& launch) {
  if (type == Number::fp16) {
    launch(__half{});
  } else if (type == Number::bf16) {
    launch(__nv_bfloat16{});
  } else {
    launch(float{});
  }
}

/// The operands of `task` as elements of T.
template <class T>
const T* left(const Task& task) {
  return static_cast<const T*>(task.input);
}
template <class T>
const T* right(const Task& task) {
  return static_cast<const T*>(task.constants);
}

}  // namespace apod::gemm
