#include "kernels/backends/cuda/device.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/library.hpp"
#include "kernels/backends/cuda/peaks.hpp"
#include "kernels/backends/cuda/visibility.hpp"

namespace apod::cuda {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// An attribute of the device; 0 when the runtime does not know it.
int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, index) == cudaSuccess) return value;
  (void)cudaGetLastError();
  return 0;
}

/// The driver's UUID of a device, of a MIG instance its own. The runtime's, which may be that of
/// the GPU it is a part of, where the driver is older than 11.4.
std::string uuid_of(int index, const cudaDeviceProp& properties) {
  std::array<unsigned char, 16> bytes{};
  const auto instance = is_instance(properties.name);
  std::memcpy(bytes.data(), properties.uuid.bytes, bytes.size());
  // The runtime has loaded it. Its CUdevice is an int, CUuuid 16 bytes, CUDA_SUCCESS 0.
  if (void* driver = open_library("libcuda.so.1")) {
    const auto get = reinterpret_cast<int (*)(int*, int)>(dlsym(driver, "cuDeviceGet"));
    const auto uuid = reinterpret_cast<int (*)(void*, int)>(dlsym(driver, "cuDeviceGetUuid_v2"));
    int device = 0;
    std::array<unsigned char, 16> own{};
    if (get != nullptr && uuid != nullptr && get(&device, index) == 0 &&
        uuid(own.data(), device) == 0) {
      bytes = own;
    }
  }
  return uuid_text(bytes, instance);
}

/// CUDA's numbers such as 13000 as "13.0".
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::string sign_of_device() {
  namespace fs = std::filesystem;
  std::error_code error;
  for (const char* path : {"/proc/driver/nvidia/version", "/dev/nvidiactl"}) {
    if (fs::exists(path, error)) return path;
  }
  for (const auto& device : fs::directory_iterator("/sys/bus/pci/devices", error)) {
    const auto first_word = [&](const char* file) {
      std::string word;
      std::ifstream(device.path() / file) >> word;
      return word;
    };
    const bool displays_or_computes = first_word("class").starts_with("0x03");
    if (displays_or_computes && first_word("vendor") == "0x10de") return device.path();
  }
  return "";
}

namespace {

/// What the runtime alone tells, where NVML is missing: the devices of this process.
std::vector<DeviceFacts> devices_of_runtime(std::string& why) {
  int count = 0;
  if (const auto error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    (void)cudaGetLastError();
    if (error != cudaErrorInsufficientDriver)
      why += std::string("; the CUDA runtime says: ") + cudaGetErrorString(error);
    return {};
  }
  std::vector<DeviceFacts> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) break;
    DeviceFacts facts;
    facts.backend = BackendKind::cuda;
    facts.index = index;
    facts.name = properties.name;
    facts.uuid = uuid_of(index, properties);
    facts.mig = is_instance(facts.name);
    facts.memory_bytes = properties.totalGlobalMem;
    devices.push_back(facts);
  }
  return devices;
}

}  // namespace

std::vector<DeviceFacts> list_devices(std::string& why) {
  const auto* nvml = Nvml::instance(&why);
  if (nvml == nullptr) return devices_of_runtime(why);
  const auto all = nvml->devices();
  if (all.empty()) {
    why = "the NVIDIA driver finds no GPU";
    return {};
  }
  std::vector<std::string> uuids;
  for (const auto device : all) uuids.push_back(nvml->uuid(device));
  // Otherwise CUDA would put the fastest GPU first. For this process and those that it starts.
  if (all.size() > 1) setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", /*overwrite=*/0);

  std::vector<Nvml::Device> chosen = all;
  if (std::getenv("CUDA_VISIBLE_DEVICES") != nullptr) {
    chosen.clear();
    const auto list = environment("CUDA_VISIBLE_DEVICES");
    for (const auto& visible : visible_devices(list, uuids)) {
      const auto device = visible.index >= 0 ? all[static_cast<std::size_t>(visible.index)]
                                             : nvml->by_uuid(visible.mig_uuid);
      if (device == nullptr) break;
      chosen.push_back(device);
    }
    if (chosen.empty()) {
      why = "CUDA_VISIBLE_DEVICES=" + std::string(list) + " selects none of the " +
            std::to_string(all.size()) + " GPUs";
      return {};
    }
  }

  std::vector<DeviceFacts> devices;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    auto facts = nvml->facts(chosen[i], static_cast<int>(i));
    if (facts.mig) {
      if (const auto instance = nvml->first_instance(chosen[i]); instance != nullptr)
        facts.uuid = nvml->uuid(instance);
      facts.notes.emplace_back("MIG is on: CUDA sees only a MIG instance, not the whole GPU");
    }
    facts.mig = facts.mig || facts.uuid.starts_with("MIG-");
    devices.push_back(std::move(facts));
  }
  // Unless the user has chosen the other order.
  const auto order = environment("CUDA_DEVICE_ORDER");
  const bool mixed = std::any_of(devices.begin(), devices.end(), [&](const auto& device) {
    return device.name != devices.front().name;
  });
  if (mixed && order != "PCI_BUS_ID") {
    for (auto& device : devices) {
      device.notes.emplace_back("the GPUs are of several kinds, and CUDA_DEVICE_ORDER=" +
                                std::string(order) + ": CUDA may number the GPUs in another order");
    }
  }
  return devices;
}

Device::Device(int index) : index_(index) {
  const auto* nvml = Nvml::instance(&nvml_note_);
  int count = 0;
  const auto counted = cudaGetDeviceCount(&count);
  // Without a driver the runtime speaks of an insufficient version; NVML's absence says it better.
  if (counted != cudaSuccess && nvml == nullptr) {
    (void)cudaGetLastError();
    throw BackendError(BackendError::Code::unsupported, nvml_note_);
  }
  check(counted, "cudaGetDeviceCount", __FILE__);
  if (index < 0 || index >= count) {
    throw BackendError(BackendError::Code::unsupported,
                       "there is no CUDA device " + std::to_string(index) + ": " +
                           std::to_string(count) + " visible, numbered from 0");
  }
  make_current();
  APOD_CUDA(cudaGetDeviceProperties(&properties_, index));

  // By address, not by number: the two count in different orders.
  if (nvml != nullptr) {
    std::array<char, 32> address{};
    APOD_CUDA(cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), index));
    nvml_device_ = nvml->by_pci_address(address.data());
    if (nvml_device_ == nullptr) nvml_note_ = std::string("NVML finds no GPU at ") + address.data();
  }
}

void Device::make_current() const {
  APOD_CUDA(cudaSetDevice(index_));
}

DeviceFacts Device::facts() const {
  DeviceFacts facts;
  if (nvml_device_ != nullptr) facts = Nvml::instance()->facts(nvml_device_, index_);
  if (!nvml_note_.empty())
    facts.notes.push_back(nvml_note_ + "; driver version, power limit, ECC and clock are unknown");
  facts.backend = BackendKind::cuda;
  facts.index = index_;
  facts.name = properties_.name;
  // By its address NVML knows the whole GPU, of which an instance is a part.
  if (is_instance(facts.name)) facts.mig = true;
  if (facts.uuid.empty() || is_instance(facts.name)) facts.uuid = uuid_of(index_, properties_);
  facts.compute_capability =
      std::to_string(properties_.major) + "." + std::to_string(properties_.minor);
  int version = 0;
  APOD_CUDA(cudaRuntimeGetVersion(&version));
  facts.runtime_version = version_text(version);

  // The runtime's figures are those of what CUDA really uses: with MIG, of the instance.
  std::size_t free = 0;
  std::size_t total = 0;
  APOD_CUDA(cudaMemGetInfo(&free, &total));
  facts.memory_bytes = total;
  facts.memory_free_bytes = free;
  facts.multiprocessors = properties_.multiProcessorCount;
  facts.max_threads_per_multiprocessor = properties_.maxThreadsPerMultiProcessor;
  facts.l2_bytes = static_cast<std::uint64_t>(std::max(properties_.l2CacheSize, 0));
  if (facts.max_sm_clock_mhz == 0)
    facts.max_sm_clock_mhz = attribute(cudaDevAttrClockRate, index_) / 1000;

  facts.peak_memory_bytes_per_s =
      peak_memory_bytes_per_s(attribute(cudaDevAttrMemoryClockRate, index_),
                              attribute(cudaDevAttrGlobalMemoryBusWidth, index_));
  if (facts.peak_memory_bytes_per_s == 0)
    facts.notes.emplace_back("no memory peak: the driver reports no memory clock or bus width");
  const auto cores = cores_per_multiprocessor(properties_.major, properties_.minor);
  facts.peak_fp32_flops = peak_flops(cores.fp32, facts.multiprocessors, facts.max_sm_clock_mhz);
  facts.peak_fp64_flops = peak_flops(cores.fp64, facts.multiprocessors, facts.max_sm_clock_mhz);
  if (cores.fp32 == 0) {
    facts.notes.push_back("no arithmetic peaks: unknown compute capability " +
                          facts.compute_capability);
  }
  if (attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables, index_) != 0) {
    facts.peak_transfer_bytes_per_s = 0;
    facts.notes.emplace_back("no transfer peak: the host link is NVLink-C2C, not PCI Express");
  }
  return facts;
}

ClockReading Device::clock() const {
  return nvml_device_ == nullptr ? ClockReading{} : Nvml::instance()->clock(nvml_device_);
}

double Device::energy() const {
  if (nvml_device_ == nullptr)
    throw BackendError(BackendError::Code::unsupported, "energy needs NVML: " + nvml_note_);
  return Nvml::instance()->energy(nvml_device_);
}

std::optional<unsigned> Device::processes() const {
  if (nvml_device_ == nullptr) return std::nullopt;
  const auto count = Nvml::instance()->processes(nvml_device_);
  // This process is one. Where it does not show, neither do the others.
  return count && *count > 0 ? count : std::nullopt;
}

}  // namespace apod::cuda
