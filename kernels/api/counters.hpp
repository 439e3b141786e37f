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
};

/// Every counter. docs/inspecting.md explains each.
inline constexpr std::array<CounterInfo, 30> known_counters{{
    {"duration", "s"},
    {"dram_bytes_read", "bytes"},
    {"dram_bytes_written", "bytes"},
    {"dram_throughput", "share"},
    {"l2_throughput", "share"},
    {"l1_throughput", "share"},
    {"l2_hit_rate", "share"},
    {"global_load_bytes", "bytes"},
    {"global_load_sectors", "sectors"},
    {"global_load_requests", "requests"},
    {"global_store_bytes", "bytes"},
    {"global_store_sectors", "sectors"},
    {"achieved_occupancy", "share"},
    {"issue_active", "share"},
    {"fadd", "instructions"},
    {"fmul", "instructions"},
    {"ffma", "instructions"},
    {"dadd", "instructions"},
    {"dmul", "instructions"},
    {"dfma", "instructions"},
    {"tensor_instructions", "instructions"},
    {"tensor_active", "share"},
    {"active_threads", "threads"},
    {"l1_wavefronts", "wavefronts"},
    {"shared_conflicts", "wavefronts"},
    {"atomics_active", "share"},
    {"atomics_busiest", "share"},
    {"memory_stall", "share"},
    {"shared_stall", "share"},
    {"barrier_stall", "share"},
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
