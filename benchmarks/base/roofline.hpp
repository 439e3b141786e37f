#pragma once

/// \file
/// Which ceiling binds a case. After Williams, Waterman and Patterson, "Roofline: an insightful
/// visual performance model for multicore architectures", CACM 52(4), 2009, with the host link and
/// the launch interval as further roofs.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "benchmarks/base/ceilings.hpp"
#include "kernels/api/params.hpp"
#include "kernels/api/workload.hpp"

namespace apod {

/// What keeps a case from being faster.
enum class Bound : std::uint8_t {
  unknown,   ///< no ceiling is known, or nothing is known of the work
  memory,    ///< device memory
  cache,     ///< L1 or L2
  fp32,      ///< arithmetic
  fp64,      ///< arithmetic
  tensor,    ///< matrix units
  issue,     ///< instructions of whatever kind: the schedulers have no cycle left
  transfer,  ///< the host link
  peer,      ///< the link between two GPUs
  launch,    ///< the interval at which kernels can be launched
  latency,   ///< none of these: a kernel waits, far from each ceiling
  none,      ///< likewise of a case that is more than a kernel: its parts take turns
};
template <>
struct EnumNames<Bound> {
  static constexpr std::array<std::string_view, 12> names{
      "unknown", "memory",   "cache", "fp32",   "fp64",    "tensor",
      "issue",   "transfer", "peer",  "launch", "latency", "none"};
};

inline bool is_arithmetic(Bound bound) {
  return bound == Bound::fp32 || bound == Bound::fp64 || bound == Bound::tensor;
}

/// Below this share of the nearest ceiling a case is bound by latency. Nsight Compute's rule for
/// its "speed of light" section draws the line at the same 60 %.
constexpr double near_ceiling = 0.6;
/// A rate this far above a ceiling is not measuring noise: ceilings repeat within 1 %, and a burst
/// of products reached 1.02 of what the ceiling's longer run did.
constexpr double above_ceiling = 1.05;

/// The unit of the device that worked closest to its peak, by its own counters.
struct BusiestUnit {
  Bound bound = Bound::unknown;  ///< unknown: nothing was counted
  std::string name;              ///< "the L2 cache"
  double share = 0;              ///< of the peak rate
  std::string counted_in;        ///< experiment, where it is not that of the case
};
inline constexpr const char* l2_unit = "the L2 cache";

/// From the counters of a kernel, or their means over a case's kernels, by the names of
/// kernels/api/counters.
BusiestUnit busiest_unit(const std::map<std::string, double>& counters);

/// The work of a case, and how long it took.
struct Work {
  Traffic traffic;        ///< as stated
  bool replaced = false;  ///< the variant does other operations in place of its FLOPs
  BusiestUnit busiest;
  double time_s = 0;
  bool end_to_end = false;
  double upload_bytes = 0;         ///< host to device; end_to_end only
  double download_bytes = 0;       ///< device to host; end_to_end only
  bool transfers_in_turn = false;  ///< no download can begin before the last upload ended
  double launches = 0;             ///< whose interval is part of time_s; 0: none
};

/// The work as the workload states it: operations that the variant replaces are of the type that
/// the axis `type` names, else fp32.
Traffic stated_work(Traffic traffic, const Params& params);

/// FLOPs for each byte of device memory from which on a rate is one of arithmetic. Convolutions
/// have more, with a mask of 3x3 too; sums, copies and interpolation have less. A product counts as
/// arithmetic in any shape.
constexpr double computing_flops_per_byte = 2;

/// Whether the rate of stated work is that of its arithmetic. By the work alone, so that one
/// workload has one unit on every device, whatever is known of it.
bool computes(const Traffic& stated);

/// The work of one execution that took `time_s`. Its transfers, launches and counters come from
/// `facts`, those of the case.
Work work_of(const Traffic& traffic, double time_s, bool end_to_end, const Params& params,
             const std::map<std::string, double>& facts);

struct Roofline {
  Bound bound = Bound::unknown;
  Bound nearest = Bound::unknown;  ///< the ceiling that takes the longest of all
  /// Time that the nearest ceiling alone would take / time: the reached share of the ceiling.
  double share = 0;
  double ceiling = 0;  ///< the nearest one, in bytes or FLOPs per second, in s for launch
  /// By counters, if no ceiling is near and a unit is: then this unit binds. Kernel scope only,
  /// because elsewhere kernels are only a part of the time.
  BusiestUnit busiest;
  double intensity = 0;  ///< FLOP per byte of device memory; 0: no FLOPs or no bytes
  double ridge = 0;      ///< FLOP per byte where memory and arithmetic take equally long; 0 unknown
  /// The rate is above the ceiling of device memory, which therefore does not bind: the data came
  /// from a cache.
  bool cache_resident = false;
  /// Whether any ceiling says something of the work.
  bool is_known() const {
    return nearest != Bound::unknown || exceeded != Bound::unknown || cache_resident ||
           busiest.bound != Bound::unknown;
  }
  /// The unit whose arithmetic ceiling the rate is above, which therefore does not bind: other
  /// units computed, or fewer operations than the workload states. Unknown: none.
  Bound exceeded = Bound::unknown;
  double exceeded_share = 0;              ///< rate / that ceiling
  double memory_bytes_per_s = 0;          ///< as if every byte came from device memory
  double memory_ceiling_bytes_per_s = 0;  ///< for this mixture of reads and writes; 0 unknown
};

/// Each ceiling alone would take
/// - memory: 2 min(read, written) / copy rate + |read - written| / read rate, which a copy and a
///   pure read reach by definition;
/// - arithmetic: stated FLOPs / rate, of each type; a ceiling that the rate is above by 5 % is left
///   out;
/// - transfer: the longer of both directions at the pinned rates, because the link works in both at
///   once; their sum if they are in turn;
/// - peer: the bytes over the link between two GPUs, in the direction with more, at the rate of the
///   slowest pair, because a collective waits for it;
/// - launch: launches * interval.
/// The one that takes longest is the nearest; it binds if it takes 60 % of the time or more. If
/// none does, in kernel scope a unit binds that the counters show at 60 % of its peak or more,
/// because a kernel may do more than the least work that is counted here. If none does either, a
/// case above the ceiling of device memory is bound by the cache, any other by latency in kernel
/// scope, and by nothing end to end, where its parts take turns. The bound is unknown where the
/// executed arithmetic is (it exceeds a ceiling, or the variant replaces it), and for a time that
/// is not positive. If counters show that a unit of arithmetic is the limit, there is no share of
/// memory: bound, rate and share are of one roof. Ceilings that are 0 (not measured) are
/// left out.
Roofline roofline(const Work& work, const Ceilings& ceilings);

}  // namespace apod
