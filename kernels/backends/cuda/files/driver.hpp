#pragma once

/// \file
/// The few functions of the CUDA driver that load and launch code that was not built in. The
/// library is opened on first use, in the context that the runtime made.

#include <cuda.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/backends/cuda/library.hpp"
#include "kernels/files/launch.hpp"

namespace apod::cuda {

/// libcuda, typed as its own header declares it.
struct Driver {
  /// Throws BackendError{unsupported} if it lacks one of these functions.
  static const Driver& instance();

  decltype(::cuModuleLoadData)* load;
  decltype(::cuModuleUnload)* unload;
  decltype(::cuModuleGetFunction)* function;
  decltype(::cuModuleGetGlobal)* variable;
  decltype(::cuFuncGetAttribute)* attribute;
  decltype(::cuFuncSetAttribute)* set_attribute;
  decltype(::cuLaunchKernelEx)* launch;
  decltype(::cuGetErrorName)* error_name;
  decltype(::cuGetErrorString)* error_text;
  /// Offset and size of a parameter; null before the driver of CUDA 12.4.
  CUresult (*parameter)(CUfunction, std::size_t, std::size_t*, std::size_t*);
};

/// What the launches of these kernels take, as facts: registers a thread, local memory a thread,
/// and shared memory a block, each of the one that takes most. `shared_bytes`: dynamic, of each.
std::map<std::string, double> resources_of(const std::vector<CUfunction>& kernels,
                                           const std::vector<std::size_t>& shared_bytes);

/// Throws BackendError "what: CUDA_ERROR_... (description)" unless the call was good.
void check(CUresult result, const std::string& what);

/// Bytes of each parameter; nothing before the driver of CUDA 12.4.
std::optional<std::vector<std::size_t>> parameter_sizes(CUfunction kernel);

/// Lets a kernel have the shared memory and the cluster of a launch, which may be more than
/// usual.
void allow(const file::Launch& launch, CUfunction kernel);

/// Code that was loaded.
class Module {
 public:
  Module(const std::vector<std::byte>& image, const std::string& file);
  ~Module() { (void)Driver::instance().unload(module_); }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  CUfunction function(const std::string& mangled, const std::string& kernel) const;
  /// 0 if it has none of that name.
  CUdeviceptr variable(const std::string& name, std::size_t& bytes) const;

 private:
  CUmodule module_ = nullptr;
};

}  // namespace apod::cuda
