#pragma once

/// \file
/// From CUPTI's records to a trace.

#include <cuda_runtime_api.h>
#include <cupti.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/api/activity.hpp"
#include "kernels/api/process_tracer.hpp"
#include "kernels/backends/cuda/tracer/cupti_library.hpp"
#include "kernels/backends/cuda/tracer/host_records.hpp"
#include "kernels/backends/cuda/tracer/machine_code.hpp"
#include "kernels/backends/cuda/tracer/occupancy.hpp"

namespace apod::cuda {

/// Fills one trace. What many records share (the name of a kernel, what fits a multiprocessor) is
/// worked out once.
class RecordReader {
 public:
  /// `device`: the properties of the traced device; null if the caller does not need residency. All
  /// three outlive the reader.
  RecordReader(const CuptiLibrary& cupti, const MachineCode& code, const cudaDeviceProp* device)
      : cupti_(cupti), code_(code), device_(device) {}

  /// Adds a record, in any order. Records of other kinds are ignored.
  void read(const CUpti_Activity& record, Trace& trace);

  /// Call after the last record: sorts the trace.
  void finish(Trace& trace);

  /// Devices that records told of since the last call.
  std::vector<TracedDevice> take_devices() { return std::exchange(devices_, {}); }
  /// Threads that the program gave a name since the last call.
  std::vector<NamedThread> take_threads() { return std::exchange(threads_, {}); }
  /// Ranges that have begun and not ended, as far as they were seen.
  void take_open_ranges(std::int64_t now_ns, Trace& trace) {
    range_ends_.take_open(now_ns, trace.ranges);
  }
  void forget_ranges() { range_ends_ = {}; }
  /// A module that is unloaded may leave the place of a kernel's name to another's.
  void forget_names() { kernel_names_.clear(); }

 private:
  struct KernelName {
    std::string name;  ///< demangled
    std::uint64_t code = 0;
  };

  template <class Record>
  void add_kernel(const Record& record, Trace& trace);
  template <class Record>
  void add_call(const Record& record, bool driver, Trace& trace);
  template <class Record>
  void add_marker(const Record& record, Trace& trace);

  const KernelName& name_of(const char* mangled);
  const Residency& residency_of(const LaunchResources& launch);
  const std::string& call_name(bool driver, std::uint32_t id);

  const CuptiLibrary& cupti_;
  const MachineCode& code_;
  const cudaDeviceProp* device_;
  std::unordered_map<const char*, KernelName> kernel_names_;  ///< CUPTI keeps one text a kernel
  std::map<LaunchResources, Residency> residency_;
  std::map<std::pair<bool, std::uint32_t>, std::string> call_names_;
  RangeEnds range_ends_;
  std::vector<TracedDevice> devices_;
  std::vector<NamedThread> threads_;
};

}  // namespace apod::cuda
