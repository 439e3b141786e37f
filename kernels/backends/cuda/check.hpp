#pragma once

/// \file
/// CUDA errors become BackendError, with the call, its file and what the error means for the
/// process. The line is left out: an edited kernel would move the lines below it, and so change the
/// host's code (docs/comparing.md, "What has changed").

#include <cuda_runtime_api.h>

#include "kernels/api/backend.hpp"

namespace apod::cuda {

/// Whether the process can continue after `error`, or its context is lost.
BackendError::Code classify(cudaError_t error);

/// Throws BackendError "what: cudaErrorName (description) in file". Clears the runtime's last
/// error first, so that a later `launched` does not report it a second time.
[[noreturn]] void fail(cudaError_t error, const char* what, const char* file);

/// Throws when `error` is one.
inline void check(cudaError_t error, const char* what, const char* file) {
  if (error != cudaSuccess) fail(error, what, file);
}

/// Call right after `kernel<<<...>>>(...)`: throws when the launch was refused (bad configuration,
/// no code for this device). Errors inside the kernel come later, from a synchronising call.
inline void launched(const char* kernel, const char* file = __builtin_FILE()) {
  check(cudaGetLastError(), kernel, file);
}

}  // namespace apod::cuda

/// APOD_CUDA(cudaMalloc(&p, n)): throws BackendError unless the call returns cudaSuccess.
#define APOD_CUDA(expression) ::apod::cuda::check((expression), #expression, __FILE__)
