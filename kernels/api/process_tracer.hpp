#pragma once

/// \file
/// Tracing of a whole process by a library that was loaded into it: what it hands on, and what is
/// asked of the tracer.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/api/activity.hpp"
#include "kernels/api/backend.hpp"

namespace apod {

/// What a multiprocessor has; 0 where that is not known.
struct MultiprocessorLimits {
  std::uint64_t registers = 0;
  std::uint64_t shared_bytes = 0;
  std::uint64_t warps = 0;
  std::uint64_t blocks = 0;
  std::uint64_t threads_per_warp = 0;
  int compute_major = 0;
};

struct TracedDevice {
  DeviceFacts facts;
  MultiprocessorLimits limits;
};

struct NamedThread {
  std::uint32_t thread = 0;  ///< as ApiCall::thread
  std::string name;
};

/// What was recorded of a process since the part before. The calls are as they came, those of the
/// driver within one of the runtime among them, and nothing is sorted.
struct ProcessPart {
  int process = 0;
  std::string program;        ///< its name
  std::int64_t clock_ns = 0;  ///< added to the trace's times, they are since 1970
  bool last = false;          ///< the process ended in order
  std::vector<TracedDevice> devices;
  std::vector<NamedThread> threads;
  Trace trace;
};

/// The part of a program's time that is recorded.
struct TraceWindow {
  std::string range;          ///< NVTX range, "NAME/2" for the third of that name; empty: any time
  std::int64_t from_ns = 0;   ///< by CLOCK_MONOTONIC
  std::int64_t until_ns = 0;  ///< likewise; 0: to the end
};

/// What NVTX gives a tool to put its functions into.
using NvtxExportTable = const void* (*)(std::uint32_t);

/// Never destroyed: the profiling interface calls into it until the process is gone.
class ProcessTracer {
 public:
  virtual ~ProcessTracer() = default;
  /// Records the ranges of one copy of NVTX too; false where that can't be.
  virtual bool take_ranges(NvtxExportTable table) = 0;
  /// Opens and closes the window when its time has come.
  virtual void look_at_the_clock() = 0;
  /// What came since the last call: all but `process` and `program`. `last`: with what is not
  /// complete yet.
  virtual ProcessPart collect(bool last) = 0;
  /// In a forked process: what its parent did and has not handed on is not this process's.
  virtual void forget_parent() = 0;
};

/// Attaches to the driver. Null where nothing can be traced; `why` says so.
std::unique_ptr<ProcessTracer> make_process_tracer(const TraceWindow& window, std::string& why);

}  // namespace apod
