#pragma once

/// \file
/// The functions of the driver that are called within another program to capture a launch. The
/// library is there already, because the program uses it.

#include <cuda.h>

#include <memory>
#include <string>

#include "kernels/backends/cuda/library.hpp"

namespace apod::cuda {

struct CaptureDriver {
  /// Null, with the reason in `why`, if the driver lacks one: those before CUDA 12.4 can't say what
  /// a kernel takes.
  static std::unique_ptr<const CaptureDriver> open(std::string& why);

  decltype(::cuCtxSynchronize)* synchronize;
  decltype(::cuCtxGetCurrent)* current_context;
  decltype(::cuCtxSetCurrent)* make_current;
  decltype(::cuCtxGetDevice)* device;
  decltype(::cuDeviceGetName)* device_name;
  decltype(::cuDeviceGetAttribute)* device_attribute;
  decltype(::cuPointerGetAttribute)* pointer_attribute;
  decltype(::cuMemcpyDtoH)* download;
  decltype(::cuStreamIsCapturing)* is_capturing;
  decltype(::cuThreadExchangeStreamCaptureMode)* exchange_mode;
  decltype(::cuFuncGetParamInfo)* function_parameter;
  decltype(::cuKernelGetParamInfo)* kernel_parameter;
  decltype(::cuKernelGetFunction)* function_of_kernel;
  decltype(::cuFuncGetModule)* module_of;
  decltype(::cuModuleGetGlobal)* variable;
  decltype(::cuFuncGetAttribute)* function_attribute;
};

}  // namespace apod::cuda
