#pragma once

/// \file
/// cuDNN's functions, loaded when they are first used. For .cu files only.

// No function or attribute that cuDNN has given up compiles without a warning.
#define CUDNN_WARN_DEPRECATED
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
  APOD_CUDNN(BackendCreateDescriptor);
  APOD_CUDNN(BackendDestroyDescriptor);
  APOD_CUDNN(BackendSetAttribute);
  APOD_CUDNN(BackendGetAttribute);
  APOD_CUDNN(BackendFinalize);
  APOD_CUDNN(BackendExecute);
#undef APOD_CUDNN
};

/// Throws BackendError{unsupported} if the library is missing.
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

}  // namespace apod::network
