#include "benchmarks/trace/ranges.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "benchmarks/trace/nvtx/thread_name.hpp"

namespace apod::trace {

void name_thread(std::string_view name) {
  name_thread_in_profiler(std::string(name).c_str());
  // Linux keeps 15 characters and refuses a longer name altogether.
  const std::string shortened(name.substr(0, 15));
  pthread_setname_np(pthread_self(), shortened.c_str());
}

bool profiler_attached() {
  constexpr std::array variables{
      "NVTX_INJECTION64_PATH",                    // any NVTX tool
      "CUDA_INJECTION64_PATH",                    // any CUDA injection
      "NSYS_PROFILING_SESSION_ID",                // nsys
      "NV_NSIGHT_INJECTION_TRANSPORT_TYPE",       // ncu
      "NV_NSIGHT_INJECTION_PORT_BASE",            // ncu
      "NV_COMPUTE_PROFILER_PERFWORKS_DIR",        // ncu
      "NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN",  // compute-sanitizer
  };
  return std::any_of(variables.begin(), variables.end(), [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
  });
}

void PhaseTimers::add(std::string_view name, double seconds) {
  const auto known = std::find_if(times_.begin(), times_.end(),
                                  [&](const PhaseTime& time) { return time.name == name; });
  if (known == times_.end()) {
    times_.push_back({std::string(name), 1, seconds, seconds, seconds});
    return;
  }
  ++known->count;
  known->total_s += seconds;
  known->min_s = std::min(known->min_s, seconds);
  known->max_s = std::max(known->max_s, seconds);
}

}  // namespace apod::trace
