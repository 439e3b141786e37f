#pragma once

/// \file
/// NVML, the driver's management library: facts and clocks without a CUDA context. Loaded at run
/// time, so that the program starts on machines without a driver.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/api/backend.hpp"

namespace apod::cuda {

/// The library, loaded and initialised once for the process and kept until its end.
class Nvml {
 public:
  using Device = void*;

  /// Null, with the reason in `why`, if there is none or it refuses.
  static const Nvml* instance(std::string* why = nullptr);

  /// The devices of this machine, by PCI address, as CUDA numbers them with
  /// CUDA_DEVICE_ORDER=PCI_BUS_ID.
  std::vector<Device> devices() const;
  /// The first MIG instance of `device`, which is the one that CUDA takes; null if it has none.
  Device first_instance(Device device) const;
  /// The device at a PCI address such as "0000:18:00.0"; null if there is none.
  Device by_pci_address(const std::string& address) const;
  /// A device or MIG instance by its full UUID; null if there is none.
  Device by_uuid(const std::string& uuid) const;
  std::string uuid(Device device) const;
  /// "0000:18:00.0", as the kernel names it; empty if it can't be read.
  std::string pci_address(Device device) const;

  /// All that can be read of `device`; notes name what can't be read.
  DeviceFacts facts(Device device, int index) const;
  /// SM clock, the reasons that hold it down, and the power. Three calls into the driver.
  ClockReading clock(Device device) const;
  /// The energy that the board has used since the driver was loaded, J. Throws
  /// BackendError{unsupported} if it can't be read.
  double energy(Device device) const;
  /// Processes with a context on `device` that this one may see; in a container there may be none.
  std::optional<unsigned> processes(Device device) const;

 private:
  Nvml() = default;
  bool load(std::string& why);

  struct Functions;
  const Functions* call_ = nullptr;
};

/// The meaning of the bits of NVML's clock event reasons: "sw_power_cap+hw_thermal", and whether
/// one of them means that the device was slowed to protect itself.
ClockReading read_clock_reasons(std::uint64_t bits);

}  // namespace apod::cuda
