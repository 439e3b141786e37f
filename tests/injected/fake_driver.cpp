#include "tests/injected/fake_driver.hpp"

#include <condition_variable>
#include <cstring>
#include <mutex>

namespace {

struct Allocation {
  std::size_t bytes = 0;
  unsigned type = CU_MEMORYTYPE_DEVICE;
  bool managed = false;
  int device = 0;
};

std::mutex mutex;
std::map<CUdeviceptr, Allocation> allocations;
bool in_graph = false;
bool busy = false;
std::condition_variable free_again;

void* allocate(std::size_t bytes, const Allocation& as) {
  constexpr std::size_t granule = 4096;
  void* memory = nullptr;
  if (::posix_memalign(&memory, granule, (bytes + granule - 1) / granule * granule) != 0)
    std::abort();
  std::memset(memory, 0, bytes);
  const std::lock_guard lock(mutex);
  allocations[reinterpret_cast<CUdeviceptr>(memory)] = as;
  return memory;
}

}  // namespace

void* fake_allocate(std::size_t bytes, unsigned type, bool managed) {
  return allocate(bytes, {.bytes = bytes, .type = type, .managed = managed});
}
void* fake_huge(std::size_t bytes, std::size_t said) {
  return allocate(bytes, {.bytes = said});
}
void* fake_elsewhere(std::size_t bytes) {
  return allocate(bytes, {.bytes = bytes, .device = 1});
}
void fake_busy(bool begins) {
  const std::lock_guard lock(mutex);
  busy = begins;
  free_again.notify_all();
}
void fake_graph(bool begins) {
  in_graph = begins;
}

extern "C" {

CUresult cuCtxSynchronize() {
  std::unique_lock lock(mutex);
  free_again.wait(lock, [] { return !busy; });
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) {
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute what, CUdevice) {
  *value = what == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void* to, CUpointer_attribute what, CUdeviceptr address) {
  const std::lock_guard lock(mutex);
  auto found = allocations.upper_bound(address);
  if (found == allocations.begin()) return CUDA_ERROR_INVALID_VALUE;
  --found;
  const auto& [base, of] = *found;
  if (address >= base + of.bytes) return CUDA_ERROR_INVALID_VALUE;
  switch (what) {
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      std::memcpy(to, &base, sizeof base);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      std::memcpy(to, &of.bytes, sizeof of.bytes);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      std::memcpy(to, &of.device, sizeof of.device);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      std::memcpy(to, &of.type, sizeof of.type);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: {
      const unsigned managed = of.managed ? 1 : 0;
      std::memcpy(to, &managed, sizeof managed);
      return CUDA_SUCCESS;
    }
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  *status = in_graph ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*) {
  return CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                            std::size_t* bytes) {
  const auto& sizes = reinterpret_cast<const FakeKernel*>(function)->sizes;
  if (index >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  for (std::size_t i = 0; i <= index; ++i) {
    *offset = (*offset + sizes[i] - 1) / sizes[i] * sizes[i];
    if (i < index) *offset += sizes[i];
  }
  *bytes = sizes[index];
  return CUDA_SUCCESS;
}
CUresult cuKernelGetParamInfo(CUkernel, std::size_t, std::size_t*, std::size_t*) {
  return CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuKernelGetFunction(CUfunction*, CUkernel) {
  return CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuFuncGetModule(CUmodule*, CUfunction) {
  return CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr*, std::size_t*, CUmodule, const char*) {
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  *value = -1;
  return CUDA_SUCCESS;
}
}
