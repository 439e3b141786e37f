#include "kernels/backends/cuda/check.hpp"

#include <string>
#include <string_view>

namespace apod::cuda {

BackendError::Code classify(cudaError_t error) {
  // As numbers: two of them have names only in later toolkits than the oldest that is supported.
  switch (static_cast<int>(error)) {
    case cudaErrorMemoryAllocation:
      return BackendError::Code::out_of_memory;

    case cudaErrorNotSupported:
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorOperatingSystem:
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureMerge:
    case cudaErrorStreamCaptureUnmatched:
    case cudaErrorStreamCaptureUnjoined:
    case cudaErrorStreamCaptureIsolation:
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorStreamCaptureWrongThread:
    case cudaErrorCapturedEvent:
      return BackendError::Code::unsupported;

    // Errors of device code: every later call in this process fails with the same error.
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case 226:  // cudaErrorContained
    case 721:  // cudaErrorTensorMemoryLeak
    case cudaErrorCudartUnloading:
    case cudaErrorContextIsDestroyed:
    case cudaErrorUnknown:
      return BackendError::Code::sticky;

    default:
      return BackendError::Code::other;
  }
}

void fail(cudaError_t error, const char* what, const char* file) {
  (void)cudaGetLastError();
  std::string_view place(file);
  // A path below the repository is enough to find the call, and the same on every machine.
  if (const auto at = place.rfind("kernels/"); at != std::string_view::npos)
    place.remove_prefix(at);
  const char* hint = error == cudaErrorNoKernelImageForDevice
                         ? "; this build has no code for the device: build it on this machine"
                         : "";
  throw BackendError(classify(error), std::string(what) + ": " + cudaGetErrorName(error) + " (" +
                                          cudaGetErrorString(error) + ") in " + std::string(place) +
                                          hint);
}

}  // namespace apod::cuda
