#pragma once

/// \file
/// The facts of CUDA devices, before and after one is opened.

#include <cuda_runtime_api.h>

#include <optional>
#include <string>
#include <vector>

#include "kernels/api/backend.hpp"
#include "kernels/backends/cuda/nvml.hpp"

namespace apod::cuda {

/// The devices that this process may use, as CUDA will number them, without making a CUDA context.
/// From NVML or, if that is missing, from the CUDA runtime. Empty, with the reason in `why`, if
/// there is none.
std::vector<DeviceFacts> list_devices(std::string& why);

/// A path that shows that there is an NVIDIA driver or GPU in this machine, even if it does not
/// work; empty if there is none.
std::string sign_of_device();

/// One opened device.
class Device {
 public:
  /// Makes `index` the calling thread's device. Throws BackendError if there is no such device or
  /// the driver does not fit the runtime.
  explicit Device(int index);

  /// Makes it the calling thread's device.
  void make_current() const;
  /// NVML's facts and those of the CUDA runtime, peaks included.
  DeviceFacts facts() const;
  /// SM clock, throttling and power from NVML; not valid without it.
  ClockReading clock() const;
  /// The energy that the board has used since the driver was loaded, J. Throws
  /// BackendError{unsupported} without a counter.
  double energy() const;
  /// Processes that have a context on it, including this one; nothing if NVML does not show this
  /// one.
  std::optional<unsigned> processes() const;
  const cudaDeviceProp& properties() const { return properties_; }

 private:
  int index_;
  cudaDeviceProp properties_{};
  Nvml::Device nvml_device_ = nullptr;
  std::string nvml_note_;
};

}  // namespace apod::cuda
