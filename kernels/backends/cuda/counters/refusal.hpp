#pragma once

/// \file
/// Why the profiler counts nothing, as one sentence with the remedy. Plain C++: no toolkit.

#include <string>
#include <string_view>

namespace apod::cuda {

/// `call` of CUPTI ended with `error` (a CUptiResult), which CUPTI itself calls `text`.
inline std::string refusal(std::string_view call, int error, std::string_view text) {
  const auto number = " (" + std::string(call) + ": CUPTI error " + std::to_string(error) + ")";
  switch (error) {
    case 35:  // CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
      return "the driver lets only administrators read the device's counters; run as root, start "
             "the container with --cap-add SYS_ADMIN, or load the nvidia kernel module with "
             "NVreg_RestrictProfilingToAdminUsers=0" +
             number;
    case 40:  // CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
      return "the hypervisor does not let this virtual machine read the device's counters; ask its "
             "administrator to allow it" +
             number;
    case 36:  // CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED
    case 39:  // CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
      return "another profiler is attached to this process; run without that profiler" + number;
    case 26:  // CUPTI_ERROR_HARDWARE_BUSY
      return "another program is reading the device's counters; try again after that program has "
             "ended" +
             number;
    case 46:  // CUPTI_ERROR_INVALID_CHIP_NAME
      return "this CUPTI does not know the device's chip; install a newer CUDA toolkit" + number;
    case 27:  // CUPTI_ERROR_NOT_SUPPORTED
    case 33:  // CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED
    case 38:  // CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED
    case 41:  // CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED
    case 42:  // CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED
    case 43:  // CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED
    case 44:  // CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED
    case 45:  // CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED
      return "CUPTI can't read counters of this device in its present setup: " + std::string(text) +
             number;
    default:
      return std::string(text.empty() ? "unknown error" : text) + number;
  }
}

}  // namespace apod::cuda
