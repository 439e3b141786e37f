/// Ranges through the C API of NVTX 3, a header-only library that looks for a profiler at its first
/// call.

#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "benchmarks/trace/nvtx/thread_name.hpp"
#include "benchmarks/trace/ranges.hpp"

namespace apod::trace {
namespace {

/// Null when no profiler listens: then no range copies its name or calls anything.
nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t handle = nvtxDomainCreateA("apod");
  return handle;
}

}  // namespace

Range::Range(std::string_view name, Color color, std::uint64_t payload) {
  if (domain() == nullptr) return;
  const std::string text(name);  // NVTX wants a terminated string, and copies it
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = static_cast<std::uint32_t>(color);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = payload;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text.c_str();
  nvtxDomainRangePushEx(domain(), &attributes);
}

Range::~Range() {
  if (domain() != nullptr) nvtxDomainRangePop(domain());
}

void name_thread_in_profiler(const char* name) {
  nvtxNameOsThreadA(static_cast<std::uint32_t>(::syscall(SYS_gettid)), name);
}

bool ranges_available() {
  return true;
}

}  // namespace apod::trace
