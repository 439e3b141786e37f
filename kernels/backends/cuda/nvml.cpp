#include "kernels/backends/cuda/nvml.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "kernels/backends/cuda/library.hpp"
#include "kernels/backends/cuda/peaks.hpp"

namespace apod::cuda {

// nvml.h is not part of every toolkit installation. These are the few declarations that are used,
// after the NVML API reference; its ABI is stable, as changed functions get a new suffix.
namespace {

using Device = Nvml::Device;
using Return = int;
constexpr Return kSuccess = 0;
constexpr Return kInsufficientSize = 7;
constexpr int kClockSm = 1;     // nvmlClockType_t: NVML_CLOCK_SM
constexpr unsigned kText = 96;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE, NVML_DEVICE_UUID_V2_BUFFER_SIZE

struct MemoryInfo {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

/// nvmlPciInfo_t
struct PciInfo {
  std::array<char, 16> address_before_9_0;
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  std::array<char, 32> address;
};

struct Reason {
  std::uint64_t bit;
  std::string_view name;
  bool throttles;
};

// nvmlClocksEventReason*. Idle and the clock settings are how a device is meant to run; a power cap
// is the normal state of a busy one.
constexpr std::array<Reason, 9> kReasons{{{0x001, "idle", false},
                                          {0x002, "application_clocks", false},
                                          {0x004, "sw_power_cap", false},
                                          {0x008, "hw_slowdown", true},
                                          {0x010, "sync_boost", false},
                                          {0x020, "sw_thermal", true},
                                          {0x040, "hw_thermal", true},
                                          {0x080, "hw_power_brake", true},
                                          {0x100, "display_clocks", false}}};

}  // namespace

struct Nvml::Functions {
  Return (*init)();
  const char* (*error_string)(Return);
  Return (*driver_version)(char*, unsigned);
  Return (*device_count)(unsigned*);
  Return (*by_index)(unsigned, Device*);
  Return (*by_uuid)(const char*, Device*);
  Return (*by_pci)(const char*, Device*);
  Return (*name)(Device, char*, unsigned);
  Return (*uuid)(Device, char*, unsigned);
  Return (*memory)(Device, MemoryInfo*);
  Return (*ecc)(Device, int*, int*);
  Return (*mig)(Device, unsigned*, unsigned*);
  Return (*power_limit)(Device, unsigned*);
  Return (*max_clock)(Device, int, unsigned*);
  Return (*clock)(Device, int, unsigned*);
  Return (*clock_reasons)(Device, unsigned long long*);
  Return (*pcie_generation)(Device, unsigned*);
  Return (*pcie_width)(Device, unsigned*);
  Return (*capability)(Device, int*, int*);
  Return (*pci)(Device, PciInfo*);
  Return (*processes)(Device, unsigned*, void*);  ///< null in drivers before 510
  Return (*power)(Device, unsigned*);             ///< may be null, as may the next
  Return (*energy)(Device, unsigned long long*);
  Return (*instance)(Device, unsigned, Device*);  ///< null in drivers before 450
};

bool Nvml::load(std::string& why) {
  void* library = open_library("libnvidia-ml.so.1");
  if (library == nullptr) {
    why = "no NVIDIA driver: libnvidia-ml.so.1 was not found (in a container: start it with GPUs)";
    return false;
  }
  static Functions functions{};
  std::string missing;
  const auto bind = [&](auto& function, const char* name, const char* older = nullptr) {
    void* symbol = dlsym(library, name);
    if (symbol == nullptr && older != nullptr) symbol = dlsym(library, older);
    if (symbol == nullptr && missing.empty()) missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  bind(functions.init, "nvmlInit_v2");
  bind(functions.error_string, "nvmlErrorString");
  bind(functions.driver_version, "nvmlSystemGetDriverVersion");
  bind(functions.device_count, "nvmlDeviceGetCount_v2");
  bind(functions.by_index, "nvmlDeviceGetHandleByIndex_v2");
  bind(functions.by_uuid, "nvmlDeviceGetHandleByUUID");
  bind(functions.by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
  bind(functions.name, "nvmlDeviceGetName");
  bind(functions.uuid, "nvmlDeviceGetUUID");
  bind(functions.memory, "nvmlDeviceGetMemoryInfo");
  bind(functions.ecc, "nvmlDeviceGetEccMode");
  bind(functions.mig, "nvmlDeviceGetMigMode");
  bind(functions.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  bind(functions.max_clock, "nvmlDeviceGetMaxClockInfo");
  bind(functions.clock, "nvmlDeviceGetClockInfo");
  // The same function; drivers before 535 have it under its old name.
  bind(functions.clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons",
       "nvmlDeviceGetCurrentClocksThrottleReasons");
  bind(functions.pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  bind(functions.pcie_width, "nvmlDeviceGetMaxPcieLinkWidth");
  bind(functions.capability, "nvmlDeviceGetCudaComputeCapability");
  bind(functions.pci, "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2");
  const auto bind_if_there = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  bind_if_there(functions.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  bind_if_there(functions.power, "nvmlDeviceGetPowerUsage");
  bind_if_there(functions.energy, "nvmlDeviceGetTotalEnergyConsumption");
  bind_if_there(functions.instance, "nvmlDeviceGetMigDeviceHandleByIndex");
  if (!missing.empty()) {
    why = "the NVIDIA driver is too old: libnvidia-ml.so.1 has no " + missing;
    return false;
  }
  if (const auto error = functions.init(); error != kSuccess) {
    why = std::string("NVML does not start: ") + functions.error_string(error);
    return false;
  }
  call_ = &functions;
  return true;
}

const Nvml* Nvml::instance(std::string* why) {
  static Nvml nvml;
  static std::string reason;
  static const bool loaded = nvml.load(reason);
  if (!loaded && why != nullptr) *why = reason;
  return loaded ? &nvml : nullptr;
}

std::vector<Device> Nvml::devices() const {
  unsigned count = 0;
  if (call_->device_count(&count) != kSuccess) return {};
  std::vector<std::pair<std::array<unsigned, 3>, Device>> by_address;
  for (unsigned i = 0; i < count; ++i) {
    // Devices that this user may not see have an index too; CUDA does not count them.
    Device device = nullptr;
    if (call_->by_index(i, &device) != kSuccess) continue;
    PciInfo pci{};
    (void)call_->pci(device, &pci);
    by_address.push_back({{pci.domain, pci.bus, pci.device}, device});
  }
  std::stable_sort(by_address.begin(), by_address.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Device> devices;
  for (const auto& [address, device] : by_address) devices.push_back(device);
  return devices;
}

Device Nvml::first_instance(Device device) const {
  // Instances keep their index when others are removed. No GPU holds more than seven (MIG User
  // Guide), which may be split further.
  constexpr unsigned most = 64;
  for (unsigned i = 0; call_->instance != nullptr && i < most; ++i) {
    Device instance = nullptr;
    if (call_->instance(device, i, &instance) == kSuccess) return instance;
  }
  return nullptr;
}

Device Nvml::by_pci_address(const std::string& address) const {
  Device device = nullptr;
  return call_->by_pci(address.c_str(), &device) == kSuccess ? device : nullptr;
}

Device Nvml::by_uuid(const std::string& uuid) const {
  Device device = nullptr;
  return call_->by_uuid(uuid.c_str(), &device) == kSuccess ? device : nullptr;
}

std::string Nvml::uuid(Device device) const {
  std::array<char, kText> text{};
  return call_->uuid(device, text.data(), kText) == kSuccess ? text.data() : "";
}

std::string Nvml::pci_address(Device device) const {
  PciInfo pci{};
  if (call_->pci(device, &pci) != kSuccess) return "";
  std::array<char, kText> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.0", pci.domain, pci.bus, pci.device);
  return text.data();
}

DeviceFacts Nvml::facts(Device device, int index) const {
  DeviceFacts facts;
  facts.backend = BackendKind::cuda;
  facts.index = index;
  const auto read = [&](const char* what, Return result) {
    if (result != kSuccess)
      facts.notes.push_back(std::string(what) + " can't be read: " + call_->error_string(result));
    return result == kSuccess;
  };

  std::array<char, kText> text{};
  if (read("name", call_->name(device, text.data(), kText))) facts.name = text.data();
  text = {};
  if (read("UUID", call_->uuid(device, text.data(), kText))) facts.uuid = text.data();
  text = {};
  if (read("driver version", call_->driver_version(text.data(), kText)))
    facts.driver_version = text.data();
  facts.pci_address = pci_address(device);
  MemoryInfo memory{};
  if (read("memory", call_->memory(device, &memory))) {
    facts.memory_bytes = memory.total;
    facts.memory_free_bytes = memory.free;
  }
  int major = 0;
  int minor = 0;
  if (read("compute capability", call_->capability(device, &major, &minor)))
    facts.compute_capability = std::to_string(major) + "." + std::to_string(minor);
  unsigned value = 0;
  if (read("power limit", call_->power_limit(device, &value))) facts.power_limit_w = value / 1e3;
  if (read("highest SM clock", call_->max_clock(device, kClockSm, &value)))
    facts.max_sm_clock_mhz = static_cast<int>(value);
  // The highest link that card and slot can agree on: an idle link runs at a lower generation.
  unsigned lanes = 0;
  if (read("PCIe generation", call_->pcie_generation(device, &value)) &&
      read("PCIe width", call_->pcie_width(device, &lanes))) {
    facts.peak_transfer_bytes_per_s = peak_pcie_bytes_per_s(value, lanes);
  }
  // Devices without ECC or MIG answer "not supported": that is an answer, not a gap.
  int ecc_now = 0;
  int ecc_later = 0;
  facts.ecc = call_->ecc(device, &ecc_now, &ecc_later) == kSuccess && ecc_now != 0;
  unsigned mig_now = 0;
  unsigned mig_later = 0;
  facts.mig = call_->mig(device, &mig_now, &mig_later) == kSuccess && mig_now != 0;
  return facts;
}

ClockReading Nvml::clock(Device device) const {
  unsigned long long bits = 0;
  unsigned mhz = 0;
  if (call_->clock(device, kClockSm, &mhz) != kSuccess) return {};
  const bool known = call_->clock_reasons(device, &bits) == kSuccess;
  auto reading = read_clock_reasons(known ? bits : 0);
  reading.valid = true;
  reading.sm_mhz = mhz;
  unsigned milliwatts = 0;
  if (call_->power != nullptr && call_->power(device, &milliwatts) == kSuccess)
    reading.power_w = milliwatts / 1e3;
  return reading;
}

double Nvml::energy(Device device) const {
  const auto refuse = [](const char* why) {
    throw BackendError(BackendError::Code::unsupported,
                       std::string("NVML can't read the energy counter: ") + why);
  };
  if (call_->energy == nullptr) refuse("the driver is too old");
  unsigned long long millijoules = 0;
  const auto result = call_->energy(device, &millijoules);
  if (result != kSuccess) refuse(call_->error_string(result));
  return static_cast<double>(millijoules) / 1e3;
}

std::optional<unsigned> Nvml::processes(Device device) const {
  if (call_->processes == nullptr) return std::nullopt;
  // No room for any of them: the answer is how many there are.
  unsigned count = 0;
  const auto result = call_->processes(device, &count, nullptr);
  if (result != kSuccess && result != kInsufficientSize) return std::nullopt;
  return count;
}

ClockReading read_clock_reasons(std::uint64_t bits) {
  ClockReading reading;
  for (const auto& reason : kReasons) {
    if ((bits & reason.bit) == 0) continue;
    if (!reading.reason.empty()) reading.reason += '+';
    reading.reason += reason.name;
    reading.throttled = reading.throttled || reason.throttles;
  }
  return reading;
}

}  // namespace apod::cuda
