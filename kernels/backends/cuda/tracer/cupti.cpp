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
#include "kernels/backends/cuda/tracer/nvtx.hpp"
#include "kernels/backends/cuda/tracer/records.hpp"
#include "kernels/backends/cuda/tracer/tracer.hpp"

namespace apod::cuda {
namespace {

// CONCURRENT_KERNEL, not KERNEL: the latter makes kernels run one after the other.
constexpr std::array kDeviceKinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                  CUPTI_ACTIVITY_KIND_MEMSET};
// What the host does meanwhile. A trace is useful without any of these.
constexpr std::array kHostKinds{CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER,
                                CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_MARKER,
                                CUPTI_ACTIVITY_KIND_OVERHEAD};
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
    // A trace is useful without the kernels' code.
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
    for (const auto kind : kDeviceKinds) {
      const auto enabled = cupti_.enable(kind);
      if (enabled != CUPTI_SUCCESS) return failure("cuptiActivityEnable", enabled);
    }
    for (const auto kind : kHostKinds) {
      const auto enabled = cupti_.enable(kind);
      if (enabled != CUPTI_SUCCESS) trace.notes.push_back(failure("cuptiActivityEnable", enabled));
    }
    work();
    // Waiting for the device and flushing the buffers is not the program's work.
    for (const auto kind : kHostKinds) (void)cupti_.disable(kind);
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
    RecordReader reader(cupti_, machine_code(), device);
    for (const auto& buffer : take_filled()) {
      read(buffer, reader, trace);
      std::size_t lost = 0;
      if (cupti_.dropped_records(buffer.context, buffer.stream, &lost) == CUPTI_SUCCESS) {
        dropped += lost;
      }
    }
    reader.finish(trace);
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

  void read(const Filled& buffer, RecordReader& reader, Trace& trace) const {
    CUpti_Activity* record = nullptr;
    while (buffer.valid_bytes > 0) {
      const auto result = cupti_.next_record(buffer.data.get(), buffer.valid_bytes, &record);
      if (result == CUPTI_ERROR_MAX_LIMIT_REACHED) break;  // the end of the buffer
      if (result != CUPTI_SUCCESS) {
        trace.notes.push_back(failure("cuptiActivityGetNextRecord", result));
        break;
      }
      reader.read(*record, trace);
    }
  }

  /// What failed work left behind is not part of the next trace.
  void stop() {
    for (const auto kind : kHostKinds) (void)cupti_.disable(kind);
    for (const auto kind : kDeviceKinds) (void)cupti_.disable(kind);
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
  if (!session->attach().empty()) return;
  session_ = std::move(session);
  show_nvtx_ranges(*cupti);
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
  return trace;
}

}  // namespace apod::cuda
