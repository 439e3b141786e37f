/// A library with CUPTI's names that hands out records as the real one does: into buffers that it
/// is given, when it is told to flush. FAKE_CUPTI=busy: another profiler is attached;
/// FAKE_CUPTI=driverless: nothing works, as without a driver; FAKE_CUPTI=slow: what is flushed
/// takes a while, under a lock.

#include "tests/injected/fake_cupti.hpp"

#include <cupti.h>
#include <generated_nvtx_meta.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

std::mutex mutex;
CUpti_CallbackFunc callback = nullptr;
void* callback_data = nullptr;
CUpti_BuffersCallbackRequestFunc request_buffer = nullptr;
CUpti_BuffersCallbackCompleteFunc complete_buffer = nullptr;
std::set<int> enabled;
std::set<unsigned> heard;        ///< calls of NVTX
std::set<unsigned> heard_calls;  ///< of the driver
std::set<unsigned> left_out;     ///< calls of the runtime that are not recorded
std::vector<Bytes> records;
std::vector<Bytes> unfinished;
std::uint32_t correlation = 0;
std::uint32_t marker = 0;
std::uint32_t device_now = 0;
thread_local std::vector<std::uint32_t> open_ranges;

// Not the clock of the system: parts must be shifted to it.
std::atomic<std::uint64_t> clock_offset{1'000'000'000'000};

std::uint64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec) - clock_offset;
}

bool is(std::string_view mode) {
  const char* value = std::getenv("FAKE_CUPTI");
  return value != nullptr && value == mode;
}

CUptiResult answer() {
  return is("driverless") ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

template <class Record>
void add(const Record& record, std::vector<Bytes>& to = records) {
  if (!enabled.contains(record.kind)) return;
  Bytes bytes(sizeof record);
  std::memcpy(bytes.data(), &record, sizeof record);
  to.push_back(std::move(bytes));
}

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel9);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return sizeof(CUpti_ActivityDevice4);
    case CUPTI_ACTIVITY_KIND_MARKER:
      return sizeof(CUpti_ActivityMarker2);
    case CUPTI_ACTIVITY_KIND_NAME:
      return sizeof(CUpti_ActivityName);
    default:
      return sizeof(CUpti_ActivityAPI);
  }
}

std::uint32_t thread_id() {
  return static_cast<std::uint32_t>(::syscall(SYS_gettid));
}

void add_call(CUpti_ActivityKind kind, std::uint32_t id, std::uint64_t from, std::uint64_t to,
              CUpti_CallbackId what = 1) {
  if (left_out.contains(what)) return;
  CUpti_ActivityAPI call{};
  call.kind = kind;
  call.cbid = what;
  call.start = from;
  call.end = to;
  call.processId = static_cast<std::uint32_t>(::getpid());
  call.threadId = thread_id();
  call.correlationId = id;
  add(call);
}

CUpti_ActivityKernel9 kernel_of(const char* name, std::uint32_t id) {
  CUpti_ActivityKernel9 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = name;
  kernel.gridX = 10;
  kernel.gridY = kernel.gridZ = 1;
  kernel.blockX = 256;
  kernel.blockY = kernel.blockZ = 1;
  kernel.registersPerThread = 32;
  kernel.streamId = 7;
  kernel.deviceId = device_now;
  kernel.correlationId = id;
  return kernel;
}

void add_marker(CUpti_ActivityFlag flag, std::uint32_t id, const char* name,
                const char* domain = nullptr) {
  CUpti_ActivityMarker2 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MARKER;
  record.flags = flag;
  record.timestamp = now();
  record.id = id;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.threadId = thread_id();
  record.name = name;
  record.domain = domain;
  add(record);
}

const char* name_of(unsigned driver_call) {
  switch (driver_call) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2:
      return "cuMemcpyHtoDAsync_v2";
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2:
      return "cuStreamBeginCapture_v2";
    case CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture:
      return "cuStreamEndCapture";
    default:
      return "cuLaunchKernel";
  }
}

/// Tells the subscriber of a call of the driver, before and after `work`.
template <class Work>
void tell_driver(unsigned id, const void* parameters, const char* symbol, const Work& work) {
  CUresult result = CUDA_SUCCESS;
  CUpti_CallbackData data{};
  data.functionName = name_of(id);
  data.functionParams = parameters;
  data.functionReturnValue = &result;
  data.symbolName = symbol;
  const auto say = [&](CUpti_ApiCallbackSite site) {
    data.callbackSite = site;
    if (callback == nullptr || !heard_calls.contains(id)) return;
    callback(callback_data, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  };
  say(CUPTI_API_ENTER);
  work();
  say(CUPTI_API_EXIT);
}

/// Tells the subscriber of a call of NVTX.
void tell(CUpti_CallbackId id, const void* parameters) {
  {
    const std::lock_guard lock(mutex);
    if (callback == nullptr || !heard.contains(id)) return;
  }
  const CUpti_NvtxData data{"", parameters, nullptr};
  callback(callback_data, CUPTI_CB_DOMAIN_NVTX, id, &data);
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "an error of the fake";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc function, void* data) {
  if (is("busy")) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  callback = function;
  callback_data = data;
  return answer();
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  const std::lock_guard lock(mutex);
  if (domain == CUPTI_CB_DOMAIN_NVTX) heard.insert(id);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) heard_calls.insert(id);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  request_buffer = request;
  complete_buffer = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  const std::lock_guard lock(mutex);
  enabled.insert(kind);
  if (kind != CUPTI_ACTIVITY_KIND_DEVICE) return CUPTI_SUCCESS;
  CUpti_ActivityDevice4 device{};
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  device.name = "Fake GPU";
  device.numMultiprocessors = 4;
  device.numThreadsPerWarp = 32;
  device.maxWarpsPerMultiprocessor = 64;
  device.maxBlocksPerMultiprocessor = 32;
  device.maxRegistersPerMultiprocessor = 65536;
  device.maxSharedMemoryPerMultiprocessor = 233472;
  device.computeCapabilityMajor = 9;
  add(device);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, std::uint8_t enable) {
  const std::lock_guard lock(mutex);
  if (enable == 0) left_out.insert(id);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  const std::lock_guard lock(mutex);
  enabled.erase(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(std::uint32_t flags) {
  std::vector<Bytes> all;
  {
    const std::lock_guard lock(mutex);
    if (is("slow")) std::this_thread::sleep_for(std::chrono::milliseconds(40));
    all.swap(records);
    if (flags == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) {
      all.insert(all.end(), unfinished.begin(), unfinished.end());
      unfinished.clear();
    }
  }
  if (all.empty()) return CUPTI_SUCCESS;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0;
  std::size_t most = 0;
  request_buffer(&buffer, &size, &most);
  std::size_t used = 0;
  for (const auto& record : all) {
    if (used + record.size() > size) break;
    std::memcpy(buffer + used, record.data(), record.size());
    used += record.size();
  }
  complete_buffer(nullptr, 0, buffer, size, used);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t bytes,
                                       CUpti_Activity** record) {
  auto* next = reinterpret_cast<std::uint8_t*>(*record);
  next = next == nullptr ? buffer : next + size_of((*record)->kind);
  if (next >= buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  *name = domain == CUPTI_CB_DOMAIN_DRIVER_API                      ? name_of(id)
          : id == CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020      ? "cudaGetDevice_v3020"
          : id == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetLimit_v3020 ? "cudaDeviceGetLimit_v3020"
                                                                    : "cudaLaunchKernel_v7000";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiFinalize() {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(std::uint64_t* time) {
  *time = now();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) {
  return CUPTI_SUCCESS;
}
int InitializeInjectionNvtx2(void*) {
  return 1;
}

void fake_launch(const char* kernel) {
  const std::lock_guard lock(mutex);
  for (const auto asked : {CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020,
                           CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetLimit_v3020}) {
    const auto begin = now();
    add_call(CUPTI_ACTIVITY_KIND_RUNTIME, ++correlation, begin, begin + 50, asked);
  }
  const auto start = now() + 100;
  const auto outer = ++correlation;
  const auto inner = ++correlation;
  // The inner one ends, and is delivered, first.
  add_call(CUPTI_ACTIVITY_KIND_DRIVER, inner, start + 100, start + 900);
  auto record = kernel_of(kernel, inner);
  record.start = start + 2000;
  record.end = start + 12000;
  add(record);
  add_call(CUPTI_ACTIVITY_KIND_RUNTIME, outer, start, start + 1000);
}
void fake_load(const char* code, std::size_t bytes) {
  if (callback == nullptr) return;
  CUpti_ModuleResourceData module{};
  module.pCubin = code;
  module.cubinSize = bytes;
  CUpti_ResourceData resource{};
  resource.resourceDescriptor = &module;
  callback(callback_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &resource);
}
void fake_kernel(FakeKernel& kernel, unsigned grid, void** parameters, bool as_buffer) {
  std::vector<std::byte> buffer;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
    std::size_t at = 0;
    std::size_t size = 0;
    cuFuncGetParamInfo(reinterpret_cast<CUfunction>(&kernel), i, &at, &size);
    buffer.resize(at + size);
    std::memcpy(buffer.data() + at, parameters[i], size);
  }
  bytes = buffer.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_BUFFER_POINTER,
                   buffer.data(), CU_LAUNCH_PARAM_END};
  cuLaunchKernel_params call{};
  call.f = reinterpret_cast<CUfunction>(&kernel);
  call.gridDimX = grid;
  call.gridDimY = call.gridDimZ = call.blockDimY = call.blockDimZ = 1;
  call.blockDimX = 256;
  call.kernelParams = as_buffer ? nullptr : parameters;
  call.extra = as_buffer ? extra : nullptr;
  tell_driver(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &call, kernel.name.c_str(),
              [&] { kernel.run(parameters); });
  const std::lock_guard lock(mutex);
  auto record = kernel_of(kernel.name.c_str(), ++correlation);
  record.gridX = static_cast<int>(grid);
  record.start = now();
  record.end = record.start + 1000 * grid;
  add(record);
}
void fake_copy() {
  const cuMemcpyHtoDAsync_v2_params call{};
  tell_driver(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, &call, nullptr, [] {});
}
void fake_stream_capture(bool begins) {
  const auto stream = reinterpret_cast<CUstream>(16);
  const cuStreamBeginCapture_v2_params first{stream, CU_STREAM_CAPTURE_MODE_GLOBAL};
  const cuStreamEndCapture_params last{stream, nullptr};
  if (begins) {
    tell_driver(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, &first, nullptr, [] {});
  } else {
    tell_driver(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, &last, nullptr, [] {});
  }
}
void fake_unfinished_launch() {
  const std::lock_guard lock(mutex);
  add(kernel_of("endless", ++correlation), unfinished);
}
void fake_wait(std::uint64_t ns) {
  clock_offset -= ns;
}
void fake_push(const char* range) {
  std::uint32_t id = 0;
  {
    const std::lock_guard lock(mutex);
    id = ++marker;
    open_ranges.push_back(id);
    add_marker(CUPTI_ACTIVITY_FLAG_MARKER_START, id, range);
  }
  const nvtxRangePushA_params parameters{range};
  tell(CUPTI_CBID_NVTX_nvtxRangePushA, &parameters);
}
void fake_push_in(const void* domain, const void* attributes) {
  const auto* all = static_cast<const nvtxEventAttributes_t*>(attributes);
  {
    const std::lock_guard lock(mutex);
    open_ranges.push_back(++marker);
    add_marker(CUPTI_ACTIVITY_FLAG_MARKER_START, marker, all->message.ascii, "NCCL");
  }
  nvtxDomainRangePushEx_params parameters{};
  parameters.domain = static_cast<nvtxDomainHandle_t>(const_cast<void*>(domain));
  // As CUPTI 13.0 does when two threads push at once: the attributes of a call that has ended.
  static void* const gone = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  parameters.core.eventAttrib = static_cast<const nvtxEventAttributes_t*>(gone);
  tell(CUPTI_CBID_NVTX_nvtxDomainRangePushEx, &parameters);
  parameters.core.eventAttrib = all;
  tell(CUPTI_CBID_NVTX_nvtxDomainRangePushEx, &parameters);
}
void fake_device(unsigned device) {
  device_now = device;
}
void fake_pop() {
  {
    const std::lock_guard lock(mutex);
    add_marker(CUPTI_ACTIVITY_FLAG_MARKER_END, open_ranges.back(), nullptr);
    open_ranges.pop_back();
  }
  tell(CUPTI_CBID_NVTX_nvtxRangePop, nullptr);
}
void fake_name_thread(const char* name) {
  const std::lock_guard lock(mutex);
  CUpti_ActivityName record{};
  record.kind = CUPTI_ACTIVITY_KIND_NAME;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.threadId = thread_id();
  record.name = name;
  add(record);
}
}
