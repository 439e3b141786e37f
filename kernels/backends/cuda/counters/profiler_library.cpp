#include "kernels/backends/cuda/counters/profiler_library.hpp"

#include <dlfcn.h>

#include <type_traits>

#include "kernels/backends/cuda/counters/refusal.hpp"
#include "kernels/backends/cuda/library.hpp"

namespace apod::cuda {
namespace {

/// The file that holds `function`.
std::string library_of(const void* function) {
  Dl_info info{};
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

/// CUPTI opens libnvperf_host.so by its bare name, which finds it only on the library path. One
/// that is loaded already is found in any case.
void load_metric_library(const std::string& cupti_path) {
  const std::string name = "libnvperf_host.so";
  const auto beside = cupti_path.substr(0, cupti_path.rfind('/') + 1) + name;
  for (const auto& candidate : {beside, name}) {
    if (open_library(candidate, RTLD_NOW | RTLD_GLOBAL) != nullptr) return;
  }
  throw CountersUnavailable("no " + name + " in the folder of " + cupti_path +
                            "; install CUPTI of the CUDA toolkit");
}

ProfilerLibrary load() {
  std::string why;
  ProfilerLibrary library{};
  library.cupti = CuptiLibrary::instance(why);
  if (library.cupti == nullptr) throw CountersUnavailable(why);
  const auto path = library_of(reinterpret_cast<const void*>(library.cupti->get_version));
  // The library that the tracer has loaded, not another version of it.
  void* handle = open_library(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle == nullptr) throw CountersUnavailable(path + " is not loaded");
  const auto bind = [&](auto& function, const char* name) {
    void* symbol = dlsym(handle, name);
    if (symbol == nullptr) {
      throw CountersUnavailable(path + " has no " + name + "; install CUDA 12.6 or later");
    }
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  bind(library.initialize, "cuptiProfilerInitialize");
  bind(library.deinitialize, "cuptiProfilerDeInitialize");
  bind(library.chip_name, "cuptiDeviceGetChipName");
  bind(library.counter_availability, "cuptiProfilerGetCounterAvailability");
  bind(library.host_initialize, "cuptiProfilerHostInitialize");
  bind(library.host_deinitialize, "cuptiProfilerHostDeinitialize");
  bind(library.host_add_metrics, "cuptiProfilerHostConfigAddMetrics");
  bind(library.host_base_metrics, "cuptiProfilerHostGetBaseMetrics");
  bind(library.host_sub_metrics, "cuptiProfilerHostGetSubMetrics");
  bind(library.host_config_size, "cuptiProfilerHostGetConfigImageSize");
  bind(library.host_config, "cuptiProfilerHostGetConfigImage");
  bind(library.host_passes, "cuptiProfilerHostGetNumOfPasses");
  bind(library.host_evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  bind(library.enable, "cuptiRangeProfilerEnable");
  bind(library.disable, "cuptiRangeProfilerDisable");
  bind(library.data_size, "cuptiRangeProfilerGetCounterDataSize");
  bind(library.data_initialize, "cuptiRangeProfilerCounterDataImageInitialize");
  bind(library.set_config, "cuptiRangeProfilerSetConfig");
  bind(library.start, "cuptiRangeProfilerStart");
  bind(library.stop, "cuptiRangeProfilerStop");
  bind(library.decode, "cuptiRangeProfilerDecodeData");
  bind(library.data_info, "cuptiRangeProfilerGetCounterDataInfo");
  load_metric_library(path);
  return library;
}

}  // namespace

void require(const CuptiLibrary& cupti, CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  cupti.result_string(result, &text);
  throw CountersUnavailable(refusal(call, static_cast<int>(result), text == nullptr ? "" : text));
}

const ProfilerLibrary& ProfilerLibrary::instance() {
  static const ProfilerLibrary library = load();
  return library;
}

}  // namespace apod::cuda
