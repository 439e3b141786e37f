#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/tracer/cupti_library.hpp"
#include "kernels/backends/cuda/tracer/machine_code.hpp"
#include "kernels/backends/cuda/tracer/occupancy.hpp"
#include "kernels/backends/cuda/tracer/tracer.hpp"

namespace apod::cuda {
namespace {

// The oldest layouts that hold every field used here; later ones only append to them, so headers
// and libraries of CUDA 12 and 13 agree on what is read.
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
using MemsetRecord = CUpti_ActivityMemset4;

// CONCURRENT_KERNEL, not KERNEL: the latter makes kernels run one after the other.
constexpr std::array kKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMSET};
constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
constexpr std::size_t kBufferAlignment = 64;  // CUPTI asks for 8

struct FreeDeleter {
  void operator()(void* memory) const { std::free(memory); }
};

/// A buffer that CUPTI has filled.
struct Filled {
  std::unique_ptr<std::uint8_t, FreeDeleter> data;
  std::size_t valid_bytes = 0;
  CUcontext context = nullptr;
  std::uint32_t stream = 0;
};

// CUPTI's callbacks carry no user pointer, hence the static store. They only pass buffers on:
// reading them means calling CUPTI, which must not happen under a lock that a callback takes too.
std::mutex filled_mutex;
std::vector<Filled> filled_buffers;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;  // without a buffer CUPTI counts a dropped record
  *max_records = 0;                               // as many as fit
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t, std::size_t valid_bytes) {
  Filled filled{std::unique_ptr<std::uint8_t, FreeDeleter>(buffer), valid_bytes, context, stream};
  const std::lock_guard lock(filled_mutex);
  filled_buffers.push_back(std::move(filled));
}

std::vector<Filled> take_filled() {
  const std::lock_guard lock(filled_mutex);
  return std::exchange(filled_buffers, {});
}

/// Kept as long as the process: what one session saw loaded stays loaded for the next.
MachineCode& machine_code() {
  static MachineCode code;
  return code;
}

/// The module's bytes may be read only while this runs, which is before the launch that needs it.
void CUPTIAPI on_event(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
  const auto* resource = static_cast<const CUpti_ResourceData*>(data);
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(resource->resourceDescriptor);
  if (module == nullptr || module->pCubin == nullptr) return;
  try {
    machine_code().add_module(std::as_bytes(std::span(module->pCubin, module->cubinSize)));
  } catch (const std::exception&) {
    // Out of memory: the driver, which calls this, must not see it. The code stays unknown.
  }
}

std::string demangled(const char* name) {
  if (name == nullptr) return "unnamed kernel";
  int status = 0;
  const std::unique_ptr<char, FreeDeleter> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status));
  return text ? text.get() : name;
}

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

template <class Record>
Activity common(const Record& record, Activity::Kind kind, std::string name) {
  Activity activity;
  activity.kind = kind;
  activity.name = std::move(name);
  activity.start_ns = static_cast<std::int64_t>(record.start);
  activity.end_ns = static_cast<std::int64_t>(record.end);
  activity.stream = record.streamId;
  return activity;
}

std::uint32_t unsigned_of(std::int32_t value) {
  return static_cast<std::uint32_t>(std::max(value, 0));
}

Activity kernel(const KernelRecord& record, const cudaDeviceProp& device) {
  auto activity = common(record, Activity::Kind::kernel, demangled(record.name));
  if (record.name != nullptr) activity.code = machine_code().hash_of(record.name);
  activity.grid = {unsigned_of(record.gridX), unsigned_of(record.gridY), unsigned_of(record.gridZ)};
  activity.block = {unsigned_of(record.blockX), unsigned_of(record.blockY),
                    unsigned_of(record.blockZ)};
  activity.registers_per_thread = record.registersPerThread;
  LaunchResources launch;
  launch.threads_per_block = activity.block[0] * activity.block[1] * activity.block[2];
  launch.registers_per_thread = activity.registers_per_thread;
  launch.static_shared_bytes = unsigned_of(record.staticSharedMemory);
  launch.dynamic_shared_bytes = unsigned_of(record.dynamicSharedMemory);
  activity.static_shared_bytes = launch.static_shared_bytes;
  activity.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  activity.resident_blocks = resident_blocks(device, launch);
  return activity;
}

Activity copy(const CopyRecord& record) {
  auto activity = common(record, Activity::Kind::copy, copy_name(record.copyKind));
  activity.bytes = record.bytes;
  activity.source = memory_kind(record.srcKind);
  activity.target = memory_kind(record.dstKind);
  return activity;
}

Activity memset_of(const MemsetRecord& record) {
  auto activity = common(record, Activity::Kind::memset, "memset");
  activity.bytes = record.bytes;
  activity.source = activity.target = memory_kind(record.memoryKind);
  return activity;
}

}  // namespace

/// Attached to CUPTI as long as it lives.
class Tracer::Session {
 public:
  explicit Session(const CuptiLibrary& cupti) : cupti_(cupti) {}
  ~Session() { detach(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Empty when attached; else why nothing can be traced.
  std::string attach() {
    const auto subscribed = cupti_.subscribe(&subscriber_, on_event, nullptr);
    if (subscribed == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
      return "another profiler is attached to this process";
    }
    if (subscribed != CUPTI_SUCCESS) return failure("cuptiSubscribe", subscribed);
    attached_ = true;
    // A trace is worth having without the kernels' code.
    (void)cupti_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE,
                                 CUPTI_CBID_RESOURCE_MODULE_LOADED);
    const auto registered = cupti_.register_callbacks(give_buffer, take_buffer);
    if (registered != CUPTI_SUCCESS) {
      return failure("cuptiActivityRegisterCallbacks", registered);
    }
    return {};
  }

  /// Runs `work` and records what the device does meanwhile. Empty, or why nothing can be traced:
  /// then `work` did not run.
  std::string record(const cudaDeviceProp& device, const std::function<void()>& work,
                     Trace& trace) {
    const Recording recording(*this);
    for (const auto kind : kKinds) {
      const auto enabled = cupti_.enable(kind);
      if (enabled != CUPTI_SUCCESS) return failure("cuptiActivityEnable", enabled);
    }
    work();
    APOD_CUDA(cudaDeviceSynchronize());
    collect(device, trace);
    return {};
  }

 private:
  /// Ends the recording, whatever ends the work.
  struct Recording {
    explicit Recording(Session& owner) : session(owner) {}
    ~Recording() { session.stop(); }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    Session& session;
  };

  /// Reads what was recorded. The device must be idle: only finished records are delivered.
  void collect(const cudaDeviceProp& device, Trace& trace) {
    // First the buffers whose records are complete, then the ones that are partly filled.
    flush(0, trace);
    flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, trace);
    std::size_t dropped = 0;
    for (const auto& buffer : take_filled()) {
      read(buffer, device, trace);
      std::size_t lost = 0;
      if (cupti_.dropped_records(buffer.context, buffer.stream, &lost) == CUPTI_SUCCESS) {
        dropped += lost;
      }
    }
    if (dropped > 0) {
      trace.notes.push_back(std::to_string(dropped) + " records were dropped: the trace has gaps");
    }
  }

  std::string failure(const char* call, CUptiResult result) const {
    const char* text = nullptr;
    cupti_.result_string(result, &text);
    return std::string(call) + " failed: " + (text == nullptr ? "unknown error" : text) + " (" +
           std::to_string(static_cast<int>(result)) + ")";
  }

  void flush(std::uint32_t flags, Trace& trace) {
    const auto flushed = cupti_.flush_all(flags);
    if (flushed != CUPTI_SUCCESS) trace.notes.push_back(failure("cuptiActivityFlushAll", flushed));
  }

  void read(const Filled& buffer, const cudaDeviceProp& device, Trace& trace) const {
    CUpti_Activity* record = nullptr;
    while (buffer.valid_bytes > 0) {
      const auto result = cupti_.next_record(buffer.data.get(), buffer.valid_bytes, &record);
      if (result == CUPTI_ERROR_MAX_LIMIT_REACHED) break;  // the end of the buffer
      if (result != CUPTI_SUCCESS) {
        trace.notes.push_back(failure("cuptiActivityGetNextRecord", result));
        break;
      }
      switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        case CUPTI_ACTIVITY_KIND_KERNEL:
          trace.activities.push_back(
              kernel(*reinterpret_cast<const KernelRecord*>(record), device));
          break;
        case CUPTI_ACTIVITY_KIND_MEMCPY:
          trace.activities.push_back(copy(*reinterpret_cast<const CopyRecord*>(record)));
          break;
        case CUPTI_ACTIVITY_KIND_MEMSET:
          trace.activities.push_back(memset_of(*reinterpret_cast<const MemsetRecord*>(record)));
          break;
        default:
          break;
      }
    }
  }

  /// What a failed work left behind is not part of the next trace.
  void stop() {
    for (const auto kind : kKinds) (void)cupti_.disable(kind);
    (void)cudaDeviceSynchronize();
    (void)cupti_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    take_filled();
  }

  /// Disabling the kinds is not enough: launches stay about 1.5 us slower until CUPTI is finalised.
  void detach() {
    if (!attached_) return;
    (void)cupti_.unsubscribe(subscriber_);
    (void)cudaDeviceSynchronize();  // finalising needs an idle device
    (void)cupti_.finalize();
    take_filled();
    attached_ = false;
  }

  const CuptiLibrary& cupti_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  bool attached_ = false;
};

Tracer::Tracer() = default;
Tracer::~Tracer() = default;

void Tracer::stay_attached() {
  std::string why;
  const auto* cupti = CuptiLibrary::instance(why);
  if (session_ != nullptr || cupti == nullptr) return;
  auto session = std::make_unique<Session>(*cupti);
  if (session->attach().empty()) session_ = std::move(session);
}

void Tracer::detach() {
  session_.reset();
}

Trace Tracer::trace(const cudaDeviceProp& device, const std::function<void()>& work) {
  Trace trace;
  std::string why;
  if (session_ != nullptr) {
    APOD_CUDA(cudaDeviceSynchronize());  // what was enqueued earlier is not part of this trace
    why = session_->record(device, work, trace);
  } else if (const auto* cupti = CuptiLibrary::instance(why); cupti != nullptr) {
    APOD_CUDA(cudaDeviceSynchronize());
    Session session(*cupti);
    why = session.attach();
    if (why.empty()) why = session.record(device, work, trace);
  }
  if (!why.empty()) {
    work();
    APOD_CUDA(cudaDeviceSynchronize());
    return {{}, {"nothing traced: " + why}};
  }
  std::stable_sort(trace.activities.begin(), trace.activities.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return trace;
}

}  // namespace apod::cuda
