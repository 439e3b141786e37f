/// The annotations of a build without them (no nvtx3 headers, or APOD_NVTX=OFF).

#include "benchmarks/look/trace/ranges.hpp"

namespace apod::trace {

Range::Range(std::string_view /*name*/, Color /*color*/, std::uint64_t /*payload*/) {}
Range::~Range() {}

void name_thread_in_profiler(const char* /*name*/) {}

void annotate_operations() {}

bool ranges_available() {
  return false;
}

}  // namespace apod::trace
