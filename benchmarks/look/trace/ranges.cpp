#include "benchmarks/look/trace/ranges.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace apod::trace {

void name_thread(std::string_view name) {
  name_thread_in_profiler(std::string(name).c_str());
  // Linux refuses names of more than 15 characters.
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
  return std::ranges::any_of(variables, [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
  });
}

void PhaseTimers::add(std::string_view name, double seconds) {
  add_time(times_, name, {1, seconds, seconds, seconds});
}

void PhaseTimers::add(const PhaseTimers& other) {
  for (const auto& [name, time] : other.times_) add_time(times_, name, time);
}

}  // namespace apod::trace
