#pragma once

/// \file
/// Libraries of the CUDA Toolkit and others (CUPTI, cuBLAS, cuDNN, cuFFT, NPP) are loaded on first
/// use, so the program starts, and can plan, on a machine that has none of them.

#include <dlfcn.h>

#include <string>
#include <type_traits>
#include <vector>

#include "kernels/api/backend.hpp"

namespace apod::cuda {

/// Where "libNAME.so.MAJOR", then "libNAME.so" may lie: where the system looks, then in the
/// toolkits that CUDA_HOME and CUDA_PATH name and in /usr/local/cuda.
std::vector<std::string> library_files(const std::string& name, int major);

/// The handle of a shared library, or null. A bare name is looked for where the loader looks, which
/// is never the current directory; a path must be absolute. Every library that is opened at run
/// time goes through here. `flags` are those of dlopen.
void* open_library(const std::string& file, int flags = RTLD_NOW | RTLD_LOCAL);

/// One shared library, open until the program ends.
class Library {
 public:
  /// Opens the first that can be of library_files(name, major). Throws nothing: see missing().
  Library(const std::string& name, int major);

  /// Why it can't be used; empty if it can.
  const std::string& missing() const { return missing_; }

  /// The function of this name, typed as its declaration:
  /// `library.function<decltype(cublasCreate)>( "cublasCreate_v2")`. Throws
  /// BackendError{unsupported} if the library is missing or does not have it.
  template <class Function>
  Function* function(const char* name) const {
    static_assert(std::is_function_v<Function>);
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string file_;
  std::string missing_;
};

}  // namespace apod::cuda
