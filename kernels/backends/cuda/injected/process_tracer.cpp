#include "kernels/api/process_tracer.hpp"

#include <cupti.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>
#include <utility>

#include "kernels/backends/cuda/injected/launch_capture.hpp"
#include "kernels/backends/cuda/injected/nvtx_events.hpp"
#include "kernels/backends/cuda/tracer/activity_buffers.hpp"
#include "kernels/backends/cuda/tracer/cupti_library.hpp"
#include "kernels/backends/cuda/tracer/loaded_modules.hpp"

namespace apod::cuda {
namespace {

constexpr auto never = std::numeric_limits<std::int64_t>::max();

std::int64_t now_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

class Whole : public ProcessTracer {
 public:
  Whole(const CuptiLibrary& cupti, TraceWindow window, capture::Wish wish)
      : cupti_(cupti),
        window_(std::move(window)),
        nvtx_(window_.range),
        reader_(cupti_, machine_code(), nullptr) {
    if (wish.matches) capture_ = std::make_unique<LaunchCapture>(std::move(wish));
  }

  /// Empty when attached; else why nothing can be traced.
  std::string attach() {
    const auto subscribed = cupti_.subscribe(&subscriber_, on_event, this);
    if (subscribed != CUPTI_SUCCESS) return subscription_failure(cupti_, subscribed);
    const auto registered = register_buffers(cupti_);
    if (registered != CUPTI_SUCCESS)
      return failure(cupti_, "cuptiActivityRegisterCallbacks", registered);
    // A trace is useful without any of these.
    (void)cupti_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE,
                                 CUPTI_CBID_RESOURCE_MODULE_LOADED);
    if (capture_) capture_->attach(cupti_, subscriber_);
    (void)cupti_.enable(CUPTI_ACTIVITY_KIND_DEVICE);
    (void)cupti_.enable(CUPTI_ACTIVITY_KIND_NAME);
    if (cupti_.set_thread_id_type != nullptr)
      (void)cupti_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    if (!window_.range.empty()) {
      for (const auto call : kRangeCalls) hear(call);
      // The range itself is to be seen too.
      (void)cupti_.enable(CUPTI_ACTIVITY_KIND_MARKER);
    }
    look_at_the_clock();
    const std::lock_guard lock(mutex_);
    return failed_;
  }

  bool take_ranges(NvtxExportTable table) override {
    return cupti_.initialize_nvtx != nullptr && cupti_.initialize_nvtx(table) != 0;
  }

  bool take_payloads(const void* module) override {
    listener_ = this;
    return MessageSizes::attach(*static_cast<const NvtxModule*>(module), on_schema);
  }

  void look_at_the_clock() override {
    const auto now = now_ns(CLOCK_MONOTONIC);
    if (window_.range.empty() && now >= window_.from_ns) open();
    if (window_.until_ns != 0 && now >= window_.until_ns) close();
  }

  ProcessPart collect(bool last) override {
    ProcessPart part;
    part.last = last;
    part.clock_ns = clock_ns();
    auto& trace = part.trace;
    flush(cupti_, 0, trace);
    if (last) flush(cupti_, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, trace);
    reader_.forget_names();
    read_buffers(cupti_, reader_, trace);
    if (last) reader_.take_open_ranges(timestamp(), trace);
    part.devices = reader_.take_devices();
    leave_out_incomplete(trace);
    for (auto& range : trace.ranges) nvtx_.messages.complete(range);
    leave_out_ranges_beyond(trace);
    part.threads = names_of_new_threads(trace);
    if (capture_) {
      for (auto& note : capture_->take_notes()) trace.notes.push_back(std::move(note));
    }
    const std::lock_guard lock(mutex_);
    if (last && !window_.range.empty() && opened_ns_ == never) {
      trace.notes.push_back("the range '" + window_.range +
                            "' did not begin: nothing was recorded");
    }
    if (!failed_.empty()) trace.notes.push_back(std::exchange(failed_, {}));
    return part;
  }

  void forget_parent() override {
    drop_buffers();
    reader_.forget_ranges();
    // The parent has, or had, the devices.
    (void)cupti_.enable(CUPTI_ACTIVITY_KIND_DEVICE);
  }

 private:
  static void CUPTIAPI on_event(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                const void* data) {
    if (domain != CUPTI_CB_DOMAIN_NVTX) {
      note_loaded_module(domain, id, data);
      const auto& capture = static_cast<Whole*>(self)->capture_;
      return capture ? capture->on_event(domain, id, data) : void();
    }
    try {
      static_cast<Whole*>(self)->on_nvtx(id, *static_cast<const CUpti_NvtxData*>(data));
    } catch (const std::exception&) {
      // Out of memory, which is not the program's concern: the call is not heard.
    }
  }

  /// NVTX's nvtxPayloadSchemaRegister. Only programs that tell sizes pay for hearing their ranges.
  static std::uint64_t on_schema(const void* domain, const NvtxSchema* schema) {
    try {
      if (schema == nullptr) return 0;
      const auto [id, tells] = listener_.load()->nvtx_.messages.add(domain, *schema);
      for (const auto call : kMessageCalls) {
        if (tells) listener_.load()->hear(call);
      }
      return id;
    } catch (const std::exception&) {
      return 0;  // out of memory
    }
  }

  void on_nvtx(CUpti_CallbackId id, const CUpti_NvtxData& data) {
    const auto event = nvtx_.read(id, data, timestamp());
    if (window_.range.empty()) return;
    const auto now = now_ns(CLOCK_MONOTONIC);
    const bool in_time =
        now >= window_.from_ns && (window_.until_ns == 0 || now < window_.until_ns);
    if (event == RangeEvent::begins && in_time) open();
    if (event == RangeEvent::ends) close();
  }

  void hear(CUpti_CallbackId call) {
    (void)cupti_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_NVTX, call);
  }

  /// By CUPTI's clock.
  std::int64_t timestamp() const {
    std::uint64_t time = 0;
    (void)cupti_.timestamp(&time);
    return static_cast<std::int64_t>(time);
  }

  std::int64_t clock_ns() const {
    const auto time = timestamp();
    return time == 0 ? 0 : now_ns(CLOCK_REALTIME) - time;
  }

  void open() {
    {
      const std::lock_guard lock(mutex_);
      if (opened_ns_ != never) return;
      opened_ns_ = timestamp();
    }
    // Not under the lock: these call CUPTI, which may be in our callback just now.
    for (const auto kind : kDeviceKinds) {
      const auto enabled = cupti_.enable(kind);
      if (enabled == CUPTI_SUCCESS) continue;
      const std::lock_guard lock(mutex_);
      failed_ = failure(cupti_, "cuptiActivityEnable", enabled);
    }
    (void)enable_host_kinds(cupti_);
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ns_ != never || opened_ns_ == never) return;
      closed_ns_ = timestamp();
    }
    for (const auto kind : kHostKinds) (void)cupti_.disable(kind);
    for (const auto kind : kDeviceKinds) (void)cupti_.disable(kind);
  }

  /// An operation that had not ended when its record was forced out has no times.
  static void leave_out_incomplete(Trace& trace) {
    const auto gone = std::erase_if(trace.activities, [](const Activity& activity) {
      return activity.start_ns == 0 || activity.end_ns == 0;
    });
    if (gone == 0) return;
    trace.notes.push_back(
        std::to_string(gone) +
        " operations are left out: they were still running at the end of the program");
  }

  void leave_out_ranges_beyond(Trace& trace) {
    const std::lock_guard lock(mutex_);
    std::erase_if(trace.ranges, [&](const NvtxRange& range) {
      return range.end_ns < opened_ns_ || range.start_ns > closed_ns_;
    });
  }

  std::vector<NamedThread> names_of_new_threads(const Trace& trace) {
    std::vector<NamedThread> names;
    const auto look = [&](std::uint32_t thread) {
      if (!seen_threads_.insert(thread).second) return;
      std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/comm");
      std::string name;
      if (std::getline(file, name) && !name.empty()) names.push_back({thread, std::move(name)});
    };
    for (const auto& call : trace.calls) look(call.thread);
    for (const auto& range : trace.ranges) look(range.thread);
    // Those that the program gives in its own words come last, and so stay.
    for (auto& named : reader_.take_threads()) names.push_back(std::move(named));
    return names;
  }

  static inline std::atomic<Whole*> listener_{nullptr};

  const CuptiLibrary& cupti_;
  const TraceWindow window_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  NvtxEvents nvtx_;
  RecordReader reader_;
  std::unique_ptr<LaunchCapture> capture_;  ///< null: nothing is captured
  std::set<std::uint32_t> seen_threads_;
  std::mutex mutex_;                ///< of what follows
  std::int64_t opened_ns_ = never;  ///< by CUPTI's clock
  std::int64_t closed_ns_ = never;
  std::string failed_;
};

}  // namespace
}  // namespace apod::cuda

namespace apod {

std::unique_ptr<ProcessTracer> make_process_tracer(const TraceWindow& window, capture::Wish wish,
                                                   std::string& why) {
  const auto* cupti = cuda::CuptiLibrary::instance(why);
  if (cupti == nullptr) return nullptr;
  auto tracer = std::make_unique<cuda::Whole>(*cupti, window, std::move(wish));
  why = tracer->attach();
  if (why.empty()) return tracer;
  (void)tracer.release();  // CUPTI may know it already, so it stays
  return nullptr;
}

}  // namespace apod
