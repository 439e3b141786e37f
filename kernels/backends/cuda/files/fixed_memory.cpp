#include "kernels/backends/cuda/files/fixed_memory.hpp"

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "kernels/api/address_taken.hpp"
#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/files/driver.hpp"
#include "kernels/data/fnv.hpp"

namespace apod::cuda {
namespace {

using capture::Place;
using capture::Window;

/// cuMemAddressReserve takes an address as more than a hint only at multiples of this (seen with
/// driver 580).
constexpr CUdeviceptr reserved_step = CUdeviceptr{32} << 20;

/// A function of the driver that only memory at fixed addresses needs.
template <class Function>
Function* driver_function(const char* name) {
  static const Library library("cuda", 1);
  return library.function<Function>(name);
}

[[noreturn]] void taken(CUdeviceptr address) {
  throw BackendError(BackendError::Code::sticky,
                     "the address 0x" + hex(address) + ", which the captured program used, " +
                         capture::address_taken +
                         ": it may be free in another process, so run again");
}

/// Rounds each range to `step`, and joins those that then touch.
template <class Ranges>
Ranges widened(const Ranges& ranges, CUdeviceptr step) {
  Ranges joined;
  for (const auto& range : ranges) {
    const auto from = range.from / step * step;
    const auto end = (range.end + step - 1) / step * step;
    if (!joined.empty() && from <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, end);
    } else {
      joined.push_back({from, end});
    }
  }
  return joined;
}

}  // namespace

std::shared_ptr<const FixedMemory> FixedMemory::at(const std::vector<Window>& windows) {
  static std::mutex mutex;
  // Kept until other addresses are wanted: what else is allocated meanwhile would take these. Never
  // destroyed, because the driver may be gone by then.
  static auto& last = *new std::shared_ptr<const FixedMemory>;
  static std::vector<Window> of_last;
  const std::lock_guard lock(mutex);
  const auto same = [](const Window& a, const Window& b) {
    return a.address == b.address && a.bytes == b.bytes && a.place == b.place;
  };
  if (last && std::equal(windows.begin(), windows.end(), of_last.begin(), of_last.end(), same))
    return last;
  last.reset();
  std::shared_ptr<FixedMemory> made(new FixedMemory);
  made->map_device(windows);
  for (const auto& window : windows) {
    if (window.place == Place::host) made->map_host(window);
  }
  last = made;
  of_last = windows;
  return made;
}

void FixedMemory::map_device(const std::vector<Window>& windows) {
  std::vector<Range> wanted;
  for (const auto& window : windows) {
    if (window.place != Place::host)
      wanted.push_back({window.address, window.address + window.bytes});
  }
  if (wanted.empty()) return;
  int device = 0;
  APOD_CUDA(cudaGetDevice(&device));
  CUmemAllocationProp kind{};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  kind.location.id = device;
  std::size_t granule = 0;
  check(driver_function<decltype(::cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity")(
            &granule, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
        "cuMemGetAllocationGranularity");
  for (const auto& range : widened(wanted, reserved_step)) {
    CUdeviceptr got = 0;
    const auto result = driver_function<decltype(::cuMemAddressReserve)>("cuMemAddressReserve")(
        &got, range.end - range.from, 0, range.from, 0);
    if (result == CUDA_SUCCESS) reserved_.push_back({got, got + (range.end - range.from)});
    if (result != CUDA_SUCCESS || got != range.from) taken(range.from);
  }
  for (const auto& range : widened(wanted, granule)) {
    CUmemGenericAllocationHandle handle = 0;
    check(driver_function<decltype(::cuMemCreate)>("cuMemCreate")(&handle, range.end - range.from,
                                                                  &kind, 0),
          "allocating " + std::to_string((range.end - range.from) >> 20) +
              " MiB for the captured launch");
    handles_.push_back(handle);
    check(driver_function<decltype(::cuMemMap)>("cuMemMap")(range.from, range.end - range.from, 0,
                                                            handle, 0),
          "cuMemMap");
    mapped_.push_back(range);
    CUmemAccessDesc access{kind.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    check(driver_function<decltype(::cuMemSetAccess)>("cuMemSetAccess")(
              range.from, range.end - range.from, &access, 1),
          "cuMemSetAccess");
  }
}

void FixedMemory::map_host(const Window& window) {
  const auto from = window.address / capture::page * capture::page;
  const auto end =
      (window.address + window.bytes + capture::page - 1) / capture::page * capture::page;
  auto* const address = reinterpret_cast<void*>(from);
  void* const got = ::mmap(address, end - from, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != MAP_FAILED && got != address) ::munmap(got, end - from);
  if (got != address) taken(from);
  host_.push_back({from, end});
  APOD_CUDA(cudaHostRegister(address, end - from, cudaHostRegisterMapped));
}

FixedMemory::~FixedMemory() {
  (void)cudaDeviceSynchronize();
  for (const auto& range : host_) {
    auto* const address = reinterpret_cast<void*>(range.from);
    (void)cudaHostUnregister(address);
    ::munmap(address, range.end - range.from);
  }
  for (const auto& range : mapped_)
    (void)driver_function<decltype(::cuMemUnmap)>("cuMemUnmap")(range.from, range.end - range.from);
  for (const auto handle : handles_)
    (void)driver_function<decltype(::cuMemRelease)>("cuMemRelease")(handle);
  for (const auto& range : reserved_)
    (void)driver_function<decltype(::cuMemAddressFree)>("cuMemAddressFree")(range.from,
                                                                            range.end - range.from);
}

}  // namespace apod::cuda
