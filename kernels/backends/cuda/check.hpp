#pragma once

/// \file
/// CUDA errors become BackendError, with the call, its place and what the error means for the
/// process.

#include <cuda_runtime_api.h>

#include "kernels/api/backend.hpp"

namespace apod::cuda {

/// Whether the process can go on after `error`, or its context is lost.
BackendError::Code classify(cudaError_t error);

/// Throws BackendError "what: cudaErrorName (description) at file:line". Clears the runtime's last
/// error first, so that a later `launched` does not report it a second time.
[[noreturn]] void fail(cudaError_t error, const char* what, const char* file, int line);

/// Throws when `error` is one.
inline void check(cudaError_t error, const char* what, const char* file, int line) {
  if (error != cudaSuccess) fail(error, what, file, line);
}

/// Call right after `kernel<<<...>>>(...)`: throws when the launch was refused (bad configuration,
/// no code for this device). Errors inside the kernel come later, from a synchronising call.
inline void launched(const char* kernel, const char* file = __builtin_FILE(),
                     int line = __builtin_LINE()) {
  check(cudaGetLastError(), kernel, file, line);
}

}  // namespace apod::cuda

/// APOD_CUDA(cudaMalloc(&p, n)): throws BackendError unless the call returns cudaSuccess.
#define APOD_CUDA(expression) ::apod::cuda::check((expression), #expression, __FILE__, __LINE__)
