#pragma once

/// \file
/// A device's own counters for the kernels that ran. A counter has the same name and unit on every
/// device; one that a device can't count is absent.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace apod {

struct CounterInfo {
  std::string_view name;
  std::string_view unit;  ///< "s", "bytes", "share" (of 1), or the counted thing
  std::string_view help;
};

/// Every counter there is.
inline constexpr std::array<CounterInfo, 30> known_counters{{
    {"duration", "s", "time of the kernel in the counted run, alone on the device"},
    {"dram_bytes_read", "bytes", "read from device memory"},
    {"dram_bytes_written", "bytes", "written to device memory"},
    {"dram_throughput", "share", "of the peak rate of device memory"},
    {"l2_throughput", "share", "of the peak rate of sector lookups in the L2"},
    {"l1_throughput", "share", "of the peak rate at which the L1s move data for loads and stores"},
    {"l2_hit_rate", "share", "of the sectors requested from the L2, found in the L2 (hit rate)"},
    {"global_load_bytes", "bytes", "requested by the threads' global loads"},
    {"global_load_sectors", "sectors", "of 32 bytes, fetched for global loads"},
    {"global_load_requests", "requests", "loads of global memory, counted per warp"},
    {"global_store_bytes", "bytes", "written by the threads' stores to global memory"},
    {"global_store_sectors", "sectors", "of 32 bytes, touched by global stores"},
    {"achieved_occupancy", "share",
     "resident warps / the largest number that fits, averaged over the SM's busy time"},
    {"issue_active", "share", "of the cycles in which a scheduler issued an instruction"},
    {"fadd", "instructions", "fp32 additions, counted per thread"},
    {"fmul", "instructions", "fp32 multiplications, counted per thread"},
    {"ffma", "instructions", "fp32 fused multiply-adds, counted per thread"},
    {"dadd", "instructions", "fp64 additions, counted per thread"},
    {"dmul", "instructions", "fp64 multiplications, counted per thread"},
    {"dfma", "instructions", "fp64 fused multiply-adds, counted per thread"},
    {"tensor_instructions", "instructions",
     "of the tensor pipe, counted per warp, including some half-precision instructions"},
    {"tensor_active", "share", "of the cycles in which the tensor cores worked"},
    {"active_threads", "threads",
     "of a warp that execute an instruction, mean over the instructions"},
    {"l1_wavefronts", "wavefronts", "steps in which the L1s moved data for loads and stores"},
    {"shared_conflicts", "wavefronts", "steps repeated because of bank conflicts in shared memory"},
    {"atomics_active", "share",
     "of the cycles in which an atomic unit of the L2 worked, mean over the units"},
    {"atomics_busiest", "share", "of the cycles in which the busiest atomic unit of the L2 worked"},
    {"memory_stall", "share", "of the time of resident warps: waiting for global or local memory"},
    {"shared_stall", "share",
     "of the time of resident warps: waiting for shared memory or a special function"},
    {"barrier_stall", "share",
     "of the time of resident warps: waiting for other warps of the block"},
}};

/// What is known about a metric's name without a device.
struct MetricCheck {
  bool known = false;                   ///< some chip has it
  std::string unchecked;                ///< why it is unknown; empty: `known` says
  std::vector<std::string> candidates;  ///< similar names for an unknown one
};

/// One launch of a kernel.
struct KernelCounters {
  std::string name;  ///< demangled, as in a trace
  std::array<std::uint32_t, 3> grid{0, 0, 0};
  std::array<std::uint32_t, 3> block{0, 0, 0};
  /// By CounterInfo::name, in its unit, or by a metric's own name. Absent: the device can't count
  /// it, or it is a share of nothing.
  std::map<std::string, double> values;
};

/// The counts of one counted pass. Empty `launches` with a note mean that nothing could be counted.
struct Counters {
  std::vector<KernelCounters> launches;  ///< in the order of the launches
  std::vector<std::string> notes;
};

}  // namespace apod
