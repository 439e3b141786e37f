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

  /// Null when there is none or it refuses; `why` then says so.
  static const Nvml* instance(std::string* why = nullptr);

  /// Those of this machine, by PCI address, as CUDA numbers them with CUDA_DEVICE_ORDER=PCI_BUS_ID.
  std::vector<Device> devices() const;
  /// The first MIG instance of `device`, which is the one that CUDA takes; null where it has none.
  Device first_instance(Device device) const;
  /// The device at a PCI address such as "0000:18:00.0"; null when there is none.
  Device by_pci_address(const std::string& address) const;
  /// A device or MIG instance by its full UUID; null when there is none.
  Device by_uuid(const std::string& uuid) const;
  std::string uuid(Device device) const;
  /// "0000:18:00.0", as the kernel names it; empty where that can't be read.
  std::string pci_address(Device device) const;

  /// All that can be read of `device`; what can't is named in the notes.
  DeviceFacts facts(Device device, int index) const;
  /// SM clock, the reasons that hold it down, and the power. Three calls into the driver.
  ClockReading clock(Device device) const;
  /// What the board used since the driver was loaded, J. Throws BackendError{unsupported} where
  /// that can't be read.
  double energy(Device device) const;
  /// Processes with a context on `device` that this one may see; in a container that can be none.
  std::optional<unsigned> processes(Device device) const;

 private:
  Nvml() = default;
  bool load(std::string& why);

  struct Functions;
  const Functions* call_ = nullptr;
};

/// What the bits of NVML's clock event reasons say: "sw_power_cap+hw_thermal", and whether one of
/// them means that the device was slowed to protect itself.
ClockReading read_clock_reasons(std::uint64_t bits);

}  // namespace apod::cuda
