/// Ranges through the C API of NVTX 3, a header-only library that looks for a profiler at its first
/// call.

#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "benchmarks/look/trace/ranges.hpp"
#include "kernels/api/operation.hpp"

namespace apod::trace {
namespace {

/// Null while no profiler listens, so that no range copies its name. A profiler may attach later,
/// as the program's own tracer does, so this is asked each time; it costs next to nothing.
nvtxDomainHandle_t domain() {
  static std::atomic<nvtxDomainHandle_t> handle{nullptr};
  auto known = handle.load(std::memory_order_acquire);
  if (known == nullptr) {
    known = nvtxDomainCreateA(std::string(annotation_domain).c_str());
    handle.store(known, std::memory_order_release);
  }
  return known;
}

/// NVTX copies the text.
void push(nvtxDomainHandle_t here, const char* text, Color color, std::uint64_t payload) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = static_cast<std::uint32_t>(color);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = payload;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text;
  nvtxDomainRangePushEx(here, &attributes);
}

class Operations : public OperationListener {
 public:
  bool listens() override { return domain() != nullptr; }
  void begin(const std::string& range) override {
    push(domain(), range.c_str(), Color::operation, 0);
  }
  void end() override { nvtxDomainRangePop(domain()); }
};

}  // namespace

Range::Range(std::string_view name, Color color, std::uint64_t payload) {
  const auto here = domain();
  if (here == nullptr) return;
  push(here, std::string(name).c_str(), color, payload);
  pushed_ = true;
}

Range::~Range() {
  if (pushed_) nvtxDomainRangePop(domain());
}

void name_thread_in_profiler(const char* name) {
  nvtxNameOsThreadA(static_cast<std::uint32_t>(::syscall(SYS_gettid)), name);
}

void annotate_operations() {
  static Operations operations;
  show_operations(&operations);
}

bool ranges_available() {
  return true;
}

}  // namespace apod::trace
