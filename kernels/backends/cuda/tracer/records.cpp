#include "kernels/backends/cuda/tracer/records.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "kernels/api/api_calls.hpp"
#include "kernels/api/demangle.hpp"

namespace apod::cuda {
namespace {

// The oldest layouts that hold every field used here; later ones only append to them, so headers
// and libraries of CUDA 12 and 13 agree on what is read.
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
using MemsetRecord = CUpti_ActivityMemset4;
using CallRecord = CUpti_ActivityAPI;
using WaitRecord = CUpti_ActivitySynchronization;
using MarkerRecord = CUpti_ActivityMarker2;
using OverheadRecord = CUpti_ActivityOverhead;
using DeviceRecord = CUpti_ActivityDevice4;

/// CUPTI's CUpti_ActivityMemoryKind. Arrays, managed and static memory live on the device for all
/// that is done with them here.
MemoryKind memory_kind(unsigned kind) {
  if (kind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE) return MemoryKind::pageable;
  if (kind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED) return MemoryKind::pinned;
  return MemoryKind::device;
}

const char* copy_name(unsigned kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "HtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "DtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "DtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "HtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "PtoP";
    default:
      return "copy";
  }
}

/// CUPTI's CUpti_ActivityOverheadKind. Its values beyond the compiler's are multiples of 2^16;
/// headers of CUDA 12 lack the names of the last.
std::string overhead_name(std::uint32_t kind) {
  constexpr std::array names{
      "unknown",        "buffer flush",          "instrumentation", "resources",
      "module loading", "lazy function loading", "command buffer",  "activity buffer request",
      "unified memory"};
  if (kind == CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER) return "compiler";
  const std::uint32_t index = kind >> 16;
  return names[index < names.size() ? index : 0];
}

template <class Record>
Activity common(const Record& record, Activity::Kind kind, std::string name) {
  Activity activity;
  activity.kind = kind;
  activity.name = std::move(name);
  activity.start_ns = static_cast<std::int64_t>(record.start);
  activity.end_ns = static_cast<std::int64_t>(record.end);
  activity.device = record.deviceId;
  activity.stream = record.streamId;
  activity.correlation = record.correlationId;
  return activity;
}

std::uint32_t unsigned_of(std::int32_t value) {
  return static_cast<std::uint32_t>(std::max(value, 0));
}

Activity copy(const CopyRecord& record) {
  auto activity = common(record, Activity::Kind::copy, copy_name(record.copyKind));
  activity.bytes = record.bytes;
  activity.source = memory_kind(record.srcKind);
  activity.target = memory_kind(record.dstKind);
  activity.synchronous = (record.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) == 0;
  return activity;
}

Activity memset_of(const MemsetRecord& record) {
  auto activity = common(record, Activity::Kind::memset, "memset");
  activity.bytes = record.bytes;
  activity.source = activity.target = memory_kind(record.memoryKind);
  activity.synchronous = (record.flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) == 0;
  return activity;
}

Synchronization wait(const WaitRecord& record) {
  Synchronization wait;
  wait.start_ns = static_cast<std::int64_t>(record.start);
  wait.end_ns = static_cast<std::int64_t>(record.end);
  const bool has_stream = record.streamId != CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  wait.stream = has_stream ? record.streamId : 0;
  switch (record.type) {
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE:
      wait.kind = Synchronization::Kind::event;
      break;
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT:
      wait.kind = Synchronization::Kind::stream_wait;
      break;
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE:
      wait.kind = Synchronization::Kind::stream;
      break;
    default:
      wait.kind = Synchronization::Kind::context;
      break;
  }
  return wait;
}

/// "GPU-0aa76580-...", as nvidia-smi has it.
std::string uuid_text(const CUuuid& uuid) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

TracedDevice device_of(const DeviceRecord& record) {
  TracedDevice device;
  auto& facts = device.facts;
  facts.backend = BackendKind::cuda;
  facts.index = static_cast<int>(record.id);
  if (record.name != nullptr) facts.name = record.name;
  facts.uuid = uuid_text(record.uuid);
  facts.compute_capability = std::to_string(record.computeCapabilityMajor) + "." +
                             std::to_string(record.computeCapabilityMinor);
  facts.multiprocessors = static_cast<int>(record.numMultiprocessors);
  facts.max_threads_per_multiprocessor =
      static_cast<int>(record.maxWarpsPerMultiprocessor * record.numThreadsPerWarp);
  facts.memory_bytes = record.globalMemorySize;
  facts.l2_bytes = record.l2CacheSize;
  facts.peak_memory_bytes_per_s = 1e3 * static_cast<double>(record.globalMemoryBandwidth);
  facts.max_sm_clock_mhz = static_cast<int>(record.coreClockRate / 1000);
  facts.ecc = record.eccEnabled != 0;
  facts.mig = record.isMigEnabled != 0;
  device.limits = {record.maxRegistersPerMultiprocessor,
                   record.maxSharedMemoryPerMultiprocessor,
                   record.maxWarpsPerMultiprocessor,
                   record.maxBlocksPerMultiprocessor,
                   record.numThreadsPerWarp,
                   static_cast<int>(record.computeCapabilityMajor)};
  return device;
}

template <class Timed>
void sort_by_start(std::vector<Timed>& all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
}

}  // namespace

const RecordReader::KernelName& RecordReader::name_of(const char* mangled) {
  const auto [known, is_new] = kernel_names_.try_emplace(mangled);
  if (is_new) {
    known->second.name = mangled == nullptr ? "unnamed kernel" : demangled(mangled);
    known->second.code = mangled == nullptr ? 0 : code_.hash_of(mangled);
  }
  return known->second;
}

const Residency& RecordReader::residency_of(const LaunchResources& launch) {
  const auto [known, is_new] = residency_.try_emplace(launch);
  if (is_new && device_ != nullptr) known->second = residency(*device_, launch);
  return known->second;
}

const std::string& RecordReader::call_name(bool driver, std::uint32_t id) {
  const auto [known, is_new] = call_names_.try_emplace({driver, id});
  if (is_new) {
    const char* name = nullptr;
    const auto domain = driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API;
    const auto result = cupti_.callback_name(domain, id, &name);
    const bool is_named = result == CUPTI_SUCCESS && name != nullptr;
    known->second = is_named ? name_without_version(name) : "call " + std::to_string(id);
  }
  return known->second;
}

template <class Record>
void RecordReader::add_kernel(const Record& record, Trace& trace) {
  const auto& [name, code] = name_of(record.name);
  auto activity = common(record, Activity::Kind::kernel, name);
  activity.code = code;
  activity.grid = {unsigned_of(record.gridX), unsigned_of(record.gridY), unsigned_of(record.gridZ)};
  activity.block = {unsigned_of(record.blockX), unsigned_of(record.blockY),
                    unsigned_of(record.blockZ)};
  activity.registers_per_thread = record.registersPerThread;
  activity.static_shared_bytes = unsigned_of(record.staticSharedMemory);
  activity.dynamic_shared_bytes = unsigned_of(record.dynamicSharedMemory);
  activity.local_bytes = record.localMemoryPerThread;
  LaunchResources launch;
  launch.threads_per_block = activity.block[0] * activity.block[1] * activity.block[2];
  launch.registers_per_thread = activity.registers_per_thread;
  launch.static_shared_bytes = activity.static_shared_bytes;
  launch.dynamic_shared_bytes = activity.dynamic_shared_bytes;
  const auto& [blocks, limiter] = residency_of(launch);
  activity.resident_blocks = blocks;
  activity.limiter = limiter;
  trace.activities.push_back(std::move(activity));
}

template <class Record>
void RecordReader::add_call(const Record& record, bool driver, Trace& trace) {
  const auto& name = call_name(driver, record.cbid);
  if (driver && name == "cuKernelGetName") return;  // by CUPTI itself, after each launch
  trace.calls.push_back({name, driver, static_cast<std::int64_t>(record.start),
                         static_cast<std::int64_t>(record.end), record.threadId,
                         record.correlationId});
}

template <class Record>
void RecordReader::add_marker(const Record& record, Trace& trace) {
  const auto time = static_cast<std::int64_t>(record.timestamp);
  if ((record.flags & CUPTI_ACTIVITY_FLAG_MARKER_END) != 0) {
    range_ends_.end(record.id, time, trace.ranges);
    return;
  }
  NvtxRange range;
  if (record.domain != nullptr) range.domain = record.domain;
  if (record.name != nullptr) range.name = record.name;
  range.start_ns = range.end_ns = time;
  if (record.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) range.thread = record.objectId.pt.threadId;
  if ((record.flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0) {
    range_ends_.start(record.id, std::move(range));
  } else if ((record.flags & CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS) != 0) {
    trace.ranges.push_back(std::move(range));
  }
}

void RecordReader::read(const CUpti_Activity& record, Trace& trace) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      return add_kernel(reinterpret_cast<const KernelRecord&>(record), trace);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      trace.activities.push_back(copy(reinterpret_cast<const CopyRecord&>(record)));
      return;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      trace.activities.push_back(memset_of(reinterpret_cast<const MemsetRecord&>(record)));
      return;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return add_call(reinterpret_cast<const CallRecord&>(record), false, trace);
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return add_call(reinterpret_cast<const CallRecord&>(record), true, trace);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      trace.synchronizations.push_back(wait(reinterpret_cast<const WaitRecord&>(record)));
      return;
    case CUPTI_ACTIVITY_KIND_MARKER:
      return add_marker(reinterpret_cast<const MarkerRecord&>(record), trace);
    case CUPTI_ACTIVITY_KIND_NAME: {
      const auto& named = reinterpret_cast<const CUpti_ActivityName&>(record);
      if (named.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD && named.name != nullptr)
        threads_.push_back({named.objectId.pt.threadId, named.name});
      return;
    }
    case CUPTI_ACTIVITY_KIND_DEVICE:
      devices_.push_back(device_of(reinterpret_cast<const DeviceRecord&>(record)));
      return;
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      const auto& overhead = reinterpret_cast<const OverheadRecord&>(record);
      trace.overheads.push_back({overhead_name(static_cast<std::uint32_t>(overhead.overheadKind)),
                                 static_cast<std::int64_t>(overhead.start),
                                 static_cast<std::int64_t>(overhead.end)});
      return;
    }
    default:
      return;
  }
}

void RecordReader::finish(Trace& trace) {
  const auto outer_of = drop_inner_calls(trace.calls);
  for (auto& activity : trace.activities) {
    const auto outer = outer_of.find(activity.correlation);
    if (outer != outer_of.end()) activity.correlation = outer->second;
  }
  sort_by_start(trace.activities);
  sort_by_start(trace.synchronizations);
  sort_by_start(trace.ranges);
  sort_by_start(trace.overheads);
}

}  // namespace apod::cuda
