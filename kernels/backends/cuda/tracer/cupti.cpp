#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "kernels/backends/cuda/check.hpp"
#include "kernels/backends/cuda/tracer/activity_buffers.hpp"
#include "kernels/backends/cuda/tracer/cupti_library.hpp"
#include "kernels/backends/cuda/tracer/loaded_modules.hpp"
#include "kernels/backends/cuda/tracer/records.hpp"
#include "kernels/backends/cuda/tracer/tracer.hpp"

namespace apod::cuda {
namespace {

void CUPTIAPI on_event(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  note_loaded_module(domain, id, data);
}

/// NVTX's own, as it hands it to a tool; null while NVTX has not looked for one, or where it has
/// found another one.
std::atomic<NvtxExportTable> export_table{nullptr};
/// Set while a session waits for NVTX to look for its tool.
std::atomic<const CuptiLibrary*> listener{nullptr};

/// NVTX calls this at its first call in the process, where the environment names no tool. Without a
/// session that wants the ranges there is no tool yet: all calls do nothing, but a tool that is
/// handed the table later is heard all the same, as it writes its functions into the same places.
int find_tool(NvtxExportTable table) {
  export_table = table;
  const CuptiLibrary* cupti = listener.exchange(nullptr);
  return cupti == nullptr ? 0 : cupti->initialize_nvtx(table);
}

/// Shows CUPTI the program's NVTX ranges from now on; they cost something only while they are
/// recorded. Called while CUPTI is attached. Only the first call in a process has an effect,
/// because CUPTI forgets the ranges when it is finalised. Does nothing if the ranges belong to
/// another tool (nsys, ncu) or CUPTI refuses them.
void show_nvtx_ranges(const CuptiLibrary& cupti) {
  static std::atomic<bool> done{false};
  if (cupti.initialize_nvtx == nullptr || done.exchange(true)) return;
  if (const auto table = export_table.load(); table != nullptr) {
    cupti.initialize_nvtx(table);
  } else {
    listener = &cupti;
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
    if (subscribed != CUPTI_SUCCESS) return subscription_failure(cupti_, subscribed);
    attached_ = true;
    // A trace is useful without the kernels' code.
    (void)cupti_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE,
                                 CUPTI_CBID_RESOURCE_MODULE_LOADED);
    const auto registered = register_buffers(cupti_);
    if (registered != CUPTI_SUCCESS)
      return failure(cupti_, "cuptiActivityRegisterCallbacks", registered);
    return {};
  }

  /// Runs `work` and records what the device does meanwhile. Empty, or why nothing can be traced:
  /// then `work` did not run.
  std::string record(const cudaDeviceProp& device, const std::function<void()>& work,
                     Trace& trace) {
    const Recording recording(*this);
    for (const auto kind : kDeviceKinds) {
      const auto enabled = cupti_.enable(kind);
      if (enabled != CUPTI_SUCCESS) return failure(cupti_, "cuptiActivityEnable", enabled);
    }
    const auto enabled = enable_host_kinds(cupti_);
    if (enabled != CUPTI_SUCCESS)
      trace.notes.push_back(failure(cupti_, "cuptiActivityEnable", enabled));
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
    flush(cupti_, 0, trace);
    flush(cupti_, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, trace);
    RecordReader reader(cupti_, machine_code(), &device);
    read_buffers(cupti_, reader, trace);
    reader.finish(trace);
  }

  /// What failed work left behind is not part of the next trace.
  void stop() {
    for (const auto kind : kHostKinds) (void)cupti_.disable(kind);
    for (const auto kind : kDeviceKinds) (void)cupti_.disable(kind);
    (void)cudaDeviceSynchronize();
    (void)cupti_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    drop_buffers();
  }

  /// Disabling the kinds is not enough: launches stay about 1.5 us slower until CUPTI is finalised.
  void detach() {
    if (!attached_) return;
    (void)cupti_.unsubscribe(subscriber_);
    (void)cudaDeviceSynchronize();  // finalising needs an idle device
    (void)cupti_.finalize();
    drop_buffers();
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

// The name by which NVTX (load sequence 2) looks for a tool that is part of the program, after all
// the ways in which a tool comes from outside.
extern "C" {
extern int (*InitializeInjectionNvtx2_fnptr)(apod::NvtxExportTable);
int (*InitializeInjectionNvtx2_fnptr)(apod::NvtxExportTable) = apod::cuda::find_tool;
}
