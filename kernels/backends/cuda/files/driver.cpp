#include "kernels/backends/cuda/files/driver.hpp"

#include <algorithm>

#include "kernels/backends/cuda/check.hpp"

namespace apod::cuda {
namespace {

auto parameter_function(const Library& library) -> decltype(Driver::parameter) {
  try {
    return library.function<CUresult(CUfunction, std::size_t, std::size_t*, std::size_t*)>(
        "cuFuncGetParamInfo");
  } catch (const BackendError&) {
    return nullptr;
  }
}

}  // namespace

const Driver& Driver::instance() {
  static const Driver driver = [] {
    static const Library library("cuda", 1);
    return Driver{library.function<decltype(::cuModuleLoadData)>("cuModuleLoadData"),
                  library.function<decltype(::cuModuleUnload)>("cuModuleUnload"),
                  library.function<decltype(::cuModuleGetFunction)>("cuModuleGetFunction"),
                  library.function<decltype(::cuModuleGetGlobal)>("cuModuleGetGlobal_v2"),
                  library.function<decltype(::cuFuncGetAttribute)>("cuFuncGetAttribute"),
                  library.function<decltype(::cuFuncSetAttribute)>("cuFuncSetAttribute"),
                  library.function<decltype(::cuLaunchKernelEx)>("cuLaunchKernelEx"),
                  library.function<decltype(::cuGetErrorName)>("cuGetErrorName"),
                  library.function<decltype(::cuGetErrorString)>("cuGetErrorString"),
                  parameter_function(library)};
  }();
  return driver;
}

void check(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  const char* text = nullptr;
  Driver::instance().error_name(result, &name);
  Driver::instance().error_text(result, &text);
  // The driver numbers its errors as the runtime does.
  throw BackendError(classify(static_cast<cudaError_t>(result)),
                     what + ": " + (name != nullptr ? name : "unknown error") + " (" +
                         (text != nullptr ? text : "") + ")");
}

std::map<std::string, double> resources_of(const std::vector<CUfunction>& kernels,
                                           const std::vector<std::size_t>& shared_bytes) {
  std::map<std::string, double> facts;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto take = [&](const char* fact, CUfunction_attribute which, std::size_t more) {
      int value = 0;
      check(Driver::instance().attribute(&value, which, kernels[i]), "cuFuncGetAttribute");
      auto& most = facts[fact];
      most = std::max(most, static_cast<double>(value) + static_cast<double>(more));
    };
    take("registers", CU_FUNC_ATTRIBUTE_NUM_REGS, 0);
    take("local_bytes", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0);
    take("shared_bytes", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shared_bytes[i]);
  }
  return facts;
}

std::optional<std::vector<std::size_t>> parameter_sizes(CUfunction kernel) {
  const auto info = Driver::instance().parameter;
  if (info == nullptr) return std::nullopt;
  constexpr std::size_t most = 8192;  // 32764 bytes of them are the most
  std::vector<std::size_t> sizes;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  while (sizes.size() < most && info(kernel, sizes.size(), &offset, &bytes) == CUDA_SUCCESS)
    sizes.push_back(bytes);
  return sizes;
}

void allow(const file::Launch& launch, CUfunction kernel) {
  const auto& driver = Driver::instance();
  // Static and dynamic together may be more than the usual limit.
  if (launch.shared_bytes > 0) {
    check(driver.set_attribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               static_cast<int>(launch.shared_bytes)),
          launch.kernel + ": " + std::to_string(launch.shared_bytes) +
              " bytes of dynamic shared memory");
  }
  const auto blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  constexpr unsigned portable = 8;
  if (blocks > portable) {
    check(driver.set_attribute(kernel, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
          launch.kernel + ": a cluster of " + std::to_string(blocks) + " blocks");
  }
}

Module::Module(const std::vector<std::byte>& image, const std::string& file) {
  check(Driver::instance().load(&module_, image.data()), "loading the code of " + file);
}

CUfunction Module::function(const std::string& mangled, const std::string& kernel) const {
  CUfunction found = nullptr;
  check(Driver::instance().function(&found, module_, mangled.c_str()), "finding " + kernel);
  return found;
}

CUdeviceptr Module::variable(const std::string& name, std::size_t& bytes) const {
  CUdeviceptr found = 0;
  const bool is_there =
      Driver::instance().variable(&found, &bytes, module_, name.c_str()) == CUDA_SUCCESS;
  return is_there ? found : 0;
}

}  // namespace apod::cuda
