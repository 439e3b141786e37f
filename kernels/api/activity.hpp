#pragma once

/// \file
/// The content of a trace: the operations of a device and the host's calls, waits and ranges. All
/// times are of one clock, in ns.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/types.hpp"

namespace apod {

/// What keeps a multiprocessor from holding more blocks of a kernel.
enum class OccupancyLimiter : std::uint8_t { unknown, threads, blocks, registers, shared_memory };
template <>
struct EnumNames<OccupancyLimiter> {
  static constexpr std::array<std::string_view, 5> names{"unknown", "threads", "blocks",
                                                         "registers", "shared_memory"};
};

/// One operation of a device: a kernel, a copy or a memset.
struct Activity {
  enum class Kind : std::uint8_t { kernel, copy, memset };
  Kind kind = Kind::kernel;
  std::string name;               ///< kernel name (demangled), or "HtoD", "DtoH", "DtoD", "memset"
  std::int64_t start_ns = 0;      ///< device clock, ns
  std::int64_t end_ns = 0;        ///< device clock, ns
  std::uint32_t device = 0;       ///< its index
  std::uint32_t stream = 0;       ///< the tracer's stream number
  std::uint32_t correlation = 0;  ///< ApiCall::correlation of the call that made it; 0 unknown
  // kernels
  std::array<std::uint32_t, 3> grid{0, 0, 0};
  std::array<std::uint32_t, 3> block{0, 0, 0};
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;   ///< per block
  std::uint32_t dynamic_shared_bytes = 0;  ///< per block
  std::uint32_t local_bytes = 0;           ///< local memory per thread: spilled registers, arrays
  std::uint32_t resident_blocks = 0;  ///< blocks that fit one multiprocessor at once; 0 unknown
  OccupancyLimiter limiter = OccupancyLimiter::unknown;
  std::uint64_t code = 0;  ///< hash of its machine code; 0 unknown
  // copies and memsets
  std::uint64_t bytes = 0;
  MemoryKind source = MemoryKind::device;
  MemoryKind target = MemoryKind::device;
  bool synchronous = false;  ///< made by a call that waits for its end, such as cudaMemcpy
};

/// A call of the CUDA runtime, or of the driver by the program itself.
struct ApiCall {
  std::string name;  ///< without its version: "cudaMemcpyAsync"
  bool driver = false;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t thread = 0;
  std::uint32_t correlation = 0;
};

/// The host, or one stream, waiting for work of a device.
struct Synchronization {
  enum class Kind : std::uint8_t { event, stream_wait, stream, context };
  Kind kind = Kind::context;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t stream = 0;  ///< the tracer's number; 0 for a context
};

/// An NVTX range, or a mark, whose end is its start.
struct NvtxRange {
  std::string domain;  ///< empty: the default one
  std::string name;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t thread = 0;
  std::uint64_t bytes = 0;         ///< of the message of NCCL's call; 0: not told
  std::uint64_t communicator = 0;  ///< of NCCL, on all its ranks; 0: not told
  std::uint32_t ranks = 0;         ///< of the communicator; 0: not told
};

/// Time that tracing itself, or the driver's own work, took from the program.
struct Overhead {
  std::string kind;  ///< "buffer flush", "instrumentation", "module loading", "compiler" ...
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// The records of one traced pass. An empty `activities` with a note means that nothing could be
/// traced.
struct Trace {
  std::vector<Activity> activities;  ///< by start
  std::vector<std::string> notes;    ///< dropped records, a profiler in the way, no CUPTI
  std::vector<ApiCall> calls;        ///< by start
  std::vector<Synchronization> synchronizations;
  std::vector<NvtxRange> ranges;  ///< by start
  std::vector<Overhead> overheads;
};

}  // namespace apod
