#include "kernels/backends/cuda/tracer/activity_buffers.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "kernels/api/api_calls.hpp"

namespace apod::cuda {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
// Every thread that calls CUDA fills a buffer of its own, and all are flushed each 0.05 s.
constexpr std::size_t kStock = 16;

struct FreeDeleter {
  void operator()(void* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<std::uint8_t, FreeDeleter>;

/// A buffer that CUPTI has filled.
struct Filled {
  Buffer data;
  std::size_t valid_bytes = 0;
  CUcontext context = nullptr;
  std::uint32_t stream = 0;
};

// CUPTI's callbacks carry no user pointer, hence the static stores. They only pass buffers on:
// reading them means calling CUPTI, which must not happen under a lock that a callback takes too.
std::mutex buffers_mutex;

// Never destroyed: CUPTI may ask for a buffer, or hand one back, when the process is all but gone.
std::vector<Filled>& filled_buffers() {
  static auto* buffers = new std::vector<Filled>;
  return *buffers;
}
std::vector<Buffer>& zeroed_buffers() {
  static auto* buffers = new std::vector<Buffer>;
  return *buffers;
}

void fill_stock() {
  for (;;) {
    {
      const std::lock_guard lock(buffers_mutex);
      if (zeroed_buffers().size() >= kStock) return;
    }
    Buffer buffer(static_cast<std::uint8_t*>(std::malloc(kBufferBytes)));
    if (buffer == nullptr) return;
    std::memset(buffer.get(), 0, kBufferBytes);
    const std::lock_guard lock(buffers_mutex);
    zeroed_buffers().push_back(std::move(buffer));
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  {
    const std::lock_guard lock(buffers_mutex);
    auto& stock = zeroed_buffers();
    *buffer = stock.empty() ? nullptr : stock.back().release();
    if (!stock.empty()) stock.pop_back();
  }
  if (*buffer == nullptr) *buffer = static_cast<std::uint8_t*>(std::calloc(1, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;  // without a buffer CUPTI counts a dropped record
  *max_records = 0;                               // as many as fit
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t, std::size_t valid_bytes) {
  Filled filled{Buffer(buffer), valid_bytes, context, stream};
  const std::lock_guard lock(buffers_mutex);
  filled_buffers().push_back(std::move(filled));
}

std::vector<Filled> take_filled() {
  const std::lock_guard lock(buffers_mutex);
  return std::exchange(filled_buffers(), {});
}

void read_buffer(const CuptiLibrary& cupti, const Filled& buffer, RecordReader& reader,
                 Trace& trace) {
  CUpti_Activity* record = nullptr;
  while (buffer.valid_bytes > 0) {
    const auto result = cupti.next_record(buffer.data.get(), buffer.valid_bytes, &record);
    if (result == CUPTI_ERROR_MAX_LIMIT_REACHED) break;  // the end of the buffer
    if (result != CUPTI_SUCCESS) {
      trace.notes.push_back(failure(cupti, "cuptiActivityGetNextRecord", result));
      break;
    }
    reader.read(*record, trace);
  }
}

/// Whether a call only asks, or makes a context current, so that it costs more to record than to
/// make. Some programs make thousands of these in a step.
bool only_asks(std::string_view name) {
  constexpr std::array<std::string_view, 24> calls{
      "GetDevice",          "GetLastError",        "PeekAtLastError",
      "GetErrorString",     "GetErrorName",        "DeviceGet",
      "DeviceGetAttribute", "StreamIsCapturing",   "DevicePrimaryCtxGetState",
      "CtxGetCurrent",      "CtxGetDevice",        "StreamGetCaptureInfo",
      "CtxSetCurrent",      "CtxPushCurrent",      "CtxPopCurrent",
      "GetProcAddress",     "KernelGetName",       "ThreadExchangeStreamCaptureMode",
      "DriverGetVersion",   "PointerGetAttribute", "PointerGetAttributes",
      "StreamGetCtx",       "StreamGetId",         "StreamGetPriority"};
  name.remove_prefix(name.starts_with("cuda") ? 4 : 2);
  if (name.ends_with("_ptsz")) name.remove_suffix(5);
  return std::find(calls.begin(), calls.end(), name) != calls.end();
}

/// Ids of such calls below `end`.
std::vector<CUpti_CallbackId> asking_calls(const CuptiLibrary& cupti, CUpti_CallbackDomain domain,
                                           CUpti_CallbackId end) {
  std::vector<CUpti_CallbackId> ids;
  for (CUpti_CallbackId id = 1; id < end; ++id) {
    const char* name = nullptr;
    if (cupti.callback_name(domain, id, &name) != CUPTI_SUCCESS || name == nullptr) continue;
    if (only_asks(name_without_version(name))) ids.push_back(id);
  }
  return ids;
}

}  // namespace

CUptiResult enable_host_kinds(const CuptiLibrary& cupti) {
  static const auto of_runtime =
      asking_calls(cupti, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE);
  static const auto of_driver =
      asking_calls(cupti, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_SIZE);
  auto first_failure = CUPTI_SUCCESS;
  for (const auto kind : kHostKinds) {
    const auto enabled = cupti.enable(kind);
    if (first_failure == CUPTI_SUCCESS) first_failure = enabled;
  }
  const auto leave_out = [](const auto& calls, auto enable_call) {
    if (enable_call == nullptr) return;
    for (const auto id : calls) (void)enable_call(id, 0);
  };
  leave_out(of_runtime, cupti.enable_runtime_call);
  leave_out(of_driver, cupti.enable_driver_call);
  return first_failure;
}

std::string failure(const CuptiLibrary& cupti, const char* call, CUptiResult result) {
  const char* text = nullptr;
  cupti.result_string(result, &text);
  return std::string(call) + " failed: " + (text == nullptr ? "unknown error" : text) + " (" +
         std::to_string(static_cast<int>(result)) + ")";
}

std::string subscription_failure(const CuptiLibrary& cupti, CUptiResult result) {
  return result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
             ? "another profiler is attached to this process"
             : failure(cupti, "cuptiSubscribe", result);
}

CUptiResult register_buffers(const CuptiLibrary& cupti) {
  if (cupti.set_attribute != nullptr) {
    std::uint8_t yes = 1;
    std::size_t size = sizeof yes;
    (void)cupti.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &yes);
  }
  fill_stock();
  return cupti.register_callbacks(give_buffer, take_buffer);
}

void read_buffers(const CuptiLibrary& cupti, RecordReader& reader, Trace& trace) {
  std::size_t dropped = 0;
  for (const auto& buffer : take_filled()) {
    read_buffer(cupti, buffer, reader, trace);
    std::size_t lost = 0;
    if (cupti.dropped_records(buffer.context, buffer.stream, &lost) == CUPTI_SUCCESS)
      dropped += lost;
  }
  fill_stock();
  if (dropped > 0)
    trace.notes.push_back(std::to_string(dropped) + " records were dropped: the trace has gaps");
}

void drop_buffers() {
  take_filled();
}

void flush(const CuptiLibrary& cupti, std::uint32_t flags, Trace& trace) {
  const auto flushed = cupti.flush_all(flags);
  if (flushed != CUPTI_SUCCESS)
    trace.notes.push_back(failure(cupti, "cuptiActivityFlushAll", flushed));
}

}  // namespace apod::cuda
