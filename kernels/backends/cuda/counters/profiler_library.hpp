#pragma once

/// \file
/// The part of CUPTI that reads counters, loaded at run time: the program runs without it.

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <stdexcept>
#include <string>

#include "kernels/backends/cuda/tracer/cupti_library.hpp"

namespace apod::cuda {

/// Nothing can be counted; what() says why, and what helps.
class CountersUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws CountersUnavailable unless `result`, of the function called `call`, is a success.
void require(const CuptiLibrary& cupti, CUptiResult result, const char* call);

struct ProfilerLibrary {
  const CuptiLibrary* cupti;
  decltype(&cuptiProfilerInitialize) initialize;
  decltype(&cuptiProfilerDeInitialize) deinitialize;
  decltype(&cuptiDeviceGetChipName) chip_name;
  decltype(&cuptiProfilerGetCounterAvailability) counter_availability;
  decltype(&cuptiProfilerHostInitialize) host_initialize;
  decltype(&cuptiProfilerHostDeinitialize) host_deinitialize;
  decltype(&cuptiProfilerHostConfigAddMetrics) host_add_metrics;
  decltype(&cuptiProfilerHostGetBaseMetrics) host_base_metrics;
  decltype(&cuptiProfilerHostGetSubMetrics) host_sub_metrics;
  decltype(&cuptiProfilerHostGetConfigImageSize) host_config_size;
  decltype(&cuptiProfilerHostGetConfigImage) host_config;
  decltype(&cuptiProfilerHostGetNumOfPasses) host_passes;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) host_evaluate;
  decltype(&cuptiRangeProfilerEnable) enable;
  decltype(&cuptiRangeProfilerDisable) disable;
  decltype(&cuptiRangeProfilerGetCounterDataSize) data_size;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) data_initialize;
  decltype(&cuptiRangeProfilerSetConfig) set_config;
  decltype(&cuptiRangeProfilerStart) start;
  decltype(&cuptiRangeProfilerStop) stop;
  decltype(&cuptiRangeProfilerDecodeData) decode;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) data_info;

  /// Loaded once, kept until the process ends. Throws CountersUnavailable.
  static const ProfilerLibrary& instance();
};

/// A parameter block of CUPTI, with its size set and everything else 0.
template <class Params>
Params sized(std::size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}

}  // namespace apod::cuda

/// APOD_PARAMS(CUpti_RangeProfiler_Start_Params): see sized. Not sizeof: that has padding at its
/// end.
#define APOD_PARAMS(Type) ::apod::cuda::sized<Type>(Type##_STRUCT_SIZE)
