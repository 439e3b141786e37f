#pragma once

/// \file
/// Tracing of a whole process by a library that was loaded into it: what it delivers, and the
/// tracer's interface.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/api/activity.hpp"
#include "kernels/api/backend.hpp"
#include "kernels/api/captured_launch.hpp"

namespace apod {

/// The limits of a multiprocessor; 0 if unknown.
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

/// The records of a process since the previous part. Calls are in their original order, including
/// those of the driver within one of the runtime, and nothing is sorted.
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
  /// Records the ranges of one copy of NVTX too; false if that is impossible.
  virtual bool take_ranges(NvtxExportTable table) = 0;
  /// Likewise the payloads of these: `module` is NVTX's, of any extension.
  virtual bool take_payloads(const void* module) = 0;
  /// Opens and closes the window when its time has come.
  virtual void look_at_the_clock() = 0;
  /// The records since the last call: all but `process` and `program`. `last`: with incomplete
  /// ones.
  virtual ProcessPart collect(bool last) = 0;
  /// In a forked process: drops what its parent did and has not delivered.
  virtual void forget_parent() = 0;
};

/// Attaches to the driver. Null if nothing can be traced; `why` says so. It also captures launches
/// as `wish` says; what it could not capture is in the notes of the traces.
std::unique_ptr<ProcessTracer> make_process_tracer(const TraceWindow& window, capture::Wish wish,
                                                   std::string& why);

}  // namespace apod
