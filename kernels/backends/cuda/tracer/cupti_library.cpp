#include "kernels/backends/cuda/tracer/cupti_library.hpp"

#include <dlfcn.h>

#include <type_traits>

#include "kernels/backends/cuda/library.hpp"

namespace apod::cuda {
namespace {

/// What is wrong with the library at `path`; empty: nothing, and it is bound.
std::string bind_all(void* handle, const std::string& path, CuptiLibrary& library) {
  std::string missing;
  const auto bind_if_any = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
  };
  const auto bind = [&](auto& function, const char* name) {
    bind_if_any(function, name);
    if (function == nullptr && missing.empty()) missing = name;
  };
  bind(library.get_version, "cuptiGetVersion");
  bind(library.result_string, "cuptiGetResultString");
  bind(library.subscribe, "cuptiSubscribe");
  bind(library.unsubscribe, "cuptiUnsubscribe");
  bind(library.enable_callback, "cuptiEnableCallback");
  bind(library.register_callbacks, "cuptiActivityRegisterCallbacks");
  bind(library.enable, "cuptiActivityEnable");
  bind(library.disable, "cuptiActivityDisable");
  bind(library.flush_all, "cuptiActivityFlushAll");
  bind(library.next_record, "cuptiActivityGetNextRecord");
  bind(library.dropped_records, "cuptiActivityGetNumDroppedRecords");
  bind(library.callback_name, "cuptiGetCallbackName");
  bind(library.finalize, "cuptiFinalize");
  bind(library.timestamp, "cuptiGetTimestamp");
  if (!missing.empty()) return path + " has no " + missing;
  bind_if_any(library.initialize_nvtx, "InitializeInjectionNvtx2");
  bind_if_any(library.set_thread_id_type, "cuptiSetThreadIdType");
  bind_if_any(library.set_attribute, "cuptiActivitySetAttribute");
  bind_if_any(library.enable_runtime_call, "cuptiActivityEnableRuntimeApi");
  bind_if_any(library.enable_driver_call, "cuptiActivityEnableDriverApi");
  // New versions append to the records, so a library as new as the headers, or newer, can be read.
  std::uint32_t version = 0;
  if (library.get_version(&version) == CUPTI_SUCCESS && version >= CUPTI_API_VERSION) return {};
  return path + " is version " + std::to_string(version) +
         ", older than the headers of this build (" + std::to_string(CUPTI_API_VERSION) + ")";
}

}  // namespace

std::optional<CuptiLibrary> CuptiLibrary::first_usable(const std::vector<std::string>& files,
                                                       std::string& why) {
  why.clear();
  for (const auto& path : files) {
    void* handle = open_library(path);
    if (handle == nullptr) continue;
    CuptiLibrary library{};
    const auto wrong = bind_all(handle, path, library);
    if (wrong.empty()) return library;
    if (why.empty()) why = wrong;
    dlclose(handle);
  }
  if (why.empty()) why = "no CUPTI library found (libcupti.so; set CUDA_HOME)";
  return std::nullopt;
}

const CuptiLibrary* CuptiLibrary::instance(std::string& why) {
  static std::string reason;
  static const auto library = first_usable(library_files("cupti", CUDA_VERSION / 1000), reason);
  if (!library) why = reason;
  return library ? &*library : nullptr;
}

}  // namespace apod::cuda
