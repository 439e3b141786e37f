#pragma once

/// \file
/// One traced operation of a device: a kernel, a copy or a memset.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/api/types.hpp"

namespace apod {

struct Activity {
  enum class Kind : std::uint8_t { kernel, copy, memset };
  Kind kind = Kind::kernel;
  std::string name;           ///< kernel name (demangled), or "HtoD", "DtoH", "DtoD", "memset"
  std::int64_t start_ns = 0;  ///< device clock, ns
  std::int64_t end_ns = 0;    ///< device clock, ns
  std::uint32_t stream = 0;   ///< the tracer's stream number
  // kernels
  std::array<std::uint32_t, 3> grid{0, 0, 0};
  std::array<std::uint32_t, 3> block{0, 0, 0};
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_bytes = 0;     ///< static + dynamic, per block
  std::uint32_t resident_blocks = 0;  ///< blocks that fit one multiprocessor at once; 0 unknown
  std::uint64_t code = 0;             ///< hash of its machine code; 0 unknown
  // copies and memsets
  std::uint64_t bytes = 0;
  MemoryKind source = MemoryKind::device;
  MemoryKind target = MemoryKind::device;
};

/// What one traced pass saw. An empty `activities` with a note means: nothing could be traced.
struct Trace {
  std::vector<Activity> activities;
  std::vector<std::string> notes;  ///< dropped records, a profiler in the way, no CUPTI
};

}  // namespace apod
