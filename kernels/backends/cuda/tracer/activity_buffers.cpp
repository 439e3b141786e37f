#include "kernels/backends/cuda/tracer/activity_buffers.hpp"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

namespace apod::cuda {
namespace {

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

/// Never destroyed: CUPTI may hand back a buffer when the process is all but gone.
std::vector<Filled>& filled_buffers() {
  static auto* buffers = new std::vector<Filled>;
  return *buffers;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;  // without a buffer CUPTI counts a dropped record
  *max_records = 0;                               // as many as fit
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t, std::size_t valid_bytes) {
  Filled filled{std::unique_ptr<std::uint8_t, FreeDeleter>(buffer), valid_bytes, context, stream};
  const std::lock_guard lock(filled_mutex);
  filled_buffers().push_back(std::move(filled));
}

std::vector<Filled> take_filled() {
  const std::lock_guard lock(filled_mutex);
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

}  // namespace

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
  return cupti.register_callbacks(give_buffer, take_buffer);
}

void read_buffers(const CuptiLibrary& cupti, RecordReader& reader, Trace& trace) {
  std::size_t dropped = 0;
  for (const auto& buffer : take_filled()) {
    read_buffer(cupti, buffer, reader, trace);
    std::size_t lost = 0;
    if (cupti.dropped_records(buffer.context, buffer.stream, &lost) == CUPTI_SUCCESS) {
      dropped += lost;
    }
  }
  if (dropped > 0) {
    trace.notes.push_back(std::to_string(dropped) + " records were dropped: the trace has gaps");
  }
}

void drop_buffers() {
  take_filled();
}

void flush(const CuptiLibrary& cupti, std::uint32_t flags, Trace& trace) {
  const auto flushed = cupti.flush_all(flags);
  if (flushed != CUPTI_SUCCESS) {
    trace.notes.push_back(failure(cupti, "cuptiActivityFlushAll", flushed));
  }
}

}  // namespace apod::cuda
