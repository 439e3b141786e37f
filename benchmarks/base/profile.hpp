#pragma once

/// \file
/// The summary of a trace: all that the tables and the findings need, small enough to be kept with
/// a result. Equal launches are one entry.

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/activity.hpp"
#include "kernels/api/operation.hpp"

namespace apod {

/// In the timeline of one case.
inline constexpr std::size_t most_spans = 400;

/// Durations, in seconds.
struct Tally {
  std::uint64_t count = 0;
  double total_s = 0;
  double min_s = 0;
  double max_s = 0;

  bool empty() const { return count == 0; }
  void add(double seconds) {
    min_s = count == 0 ? seconds : std::min(min_s, seconds);
    max_s = std::max(max_s, seconds);
    total_s += seconds;
    ++count;
  }
  void add(const Tally& other) {
    if (other.empty()) return;
    min_s = count == 0 ? other.min_s : std::min(min_s, other.min_s);
    max_s = std::max(max_s, other.max_s);
    total_s += other.total_s;
    count += other.count;
  }
  double mean_s() const { return count == 0 ? 0 : total_s / static_cast<double>(count); }
};

/// Time by name: of a phase of a case (setup, verify, warm-up, sample, transfer, compute), of a
/// call, of a kind of copy.
struct NamedTime {
  std::string name;
  Tally time;
};

/// Adds `time` to the entry of its name, or appends a new one.
void add_time(std::vector<NamedTime>& times, std::string_view name, const Tally& time);

/// Instructions in a kernel's code, as they are written and not as they are executed.
struct InstructionMix {
  std::string source;      ///< "SASS" or "PTX"
  std::uint64_t fp32 = 0;  ///< add, multiply, fused multiply-add; in PTX divisions and roots too
  std::uint64_t fp64_add = 0;
  std::uint64_t fp64_mul = 0;
  std::uint64_t fp64_fma = 0;  ///< in PTX divisions and roots too
  std::uint64_t fp16 = 0;
  std::uint64_t tensor = 0;  ///< matrix instructions
  std::uint64_t conversions_to_fp64 = 0;
  std::uint64_t global_loads = 0;
  std::uint64_t asynchronous_loads = 0;  ///< of these, copies to shared memory
  std::uint64_t global_stores = 0;
  std::uint64_t local_accesses = 0;  ///< loads and stores: spills
  std::uint64_t all = 0;

  std::uint64_t fp64() const { return fp64_add + fp64_mul + fp64_fma; }
  auto operator<=>(const InstructionMix&) const = default;
};

/// Launches of one kernel with one configuration, for one operation.
struct KernelProfile {
  std::string name;  ///< demangled
  std::array<std::uint32_t, 3> grid{0, 0, 0};
  std::array<std::uint32_t, 3> block{0, 0, 0};
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;   ///< per block
  std::uint32_t dynamic_shared_bytes = 0;  ///< per block
  std::uint32_t local_bytes = 0;           ///< a thread
  std::uint32_t resident_blocks = 0;       ///< that fit one multiprocessor at once; 0 unknown
  OccupancyLimiter limiter = OccupancyLimiter::unknown;
  Tally time;
  /// The operation that it was launched for, with the FLOPs and bytes of one launch; absent if
  /// unknown.
  std::optional<Operation> operation;
  std::optional<InstructionMix> instructions;
  /// Counter -> mean over the launches, under the names of kernels/api/counters; empty: not
  /// counted.
  std::map<std::string, double> counters;
};

/// Copies or memsets of one kind.
struct CopyProfile {
  std::string name;  ///< "HtoD", "DtoH", "DtoD", "memset" ...
  MemoryKind source = MemoryKind::device;
  MemoryKind target = MemoryKind::device;
  std::uint64_t bytes = 0;        ///< all of them together
  std::uint64_t synchronous = 0;  ///< made by calls that wait for their end
  std::uint64_t queued = 0;  ///< waited for larger copies of other streams in the same direction
  double queued_s = 0;       ///< how long these waited
  double queued_lost_s = 0;  ///< of that, what kernels behind them could have used
  Tally time;
};

struct CallProfile {
  std::string name;
  bool driver = false;
  Tally time;
  Tally among_kernels;  ///< those made after the first kernel began and before the last one did
};

struct RangeProfile {
  std::string domain;
  std::string name;
  Tally time;
};

/// A row of the timeline, as columns with an entry for each span. A span too short to be seen is
/// merged with its neighbour.
struct Lane {
  std::string name;                    ///< of the row: "stream 7"; lanes of one name share a row
  std::string what;                    ///< "ranges", "calls", "recorder", "copies" or "kernels"
  std::vector<std::string> names;      ///< of what ran, each once
  std::vector<std::size_t> of;         ///< the first event's place in `names`
  std::vector<std::int64_t> start_ns;  ///< ascending, from the begin of the timeline
  std::vector<std::int64_t> length_ns;
  std::vector<std::uint64_t> count;  ///< events
  /// The time of a span in which any of its events ran; empty: all of each span.
  std::vector<std::int64_t> busy_ns = {};
  /// How long an event ran before the timeline begins, and after it ends; empty: none did.
  std::vector<std::int64_t> before_ns = {};
  std::vector<std::int64_t> after_ns = {};

  std::size_t size() const { return start_ns.size(); }
  std::int64_t busy(std::size_t span) const {
    return busy_ns.empty() ? length_ns[span] : busy_ns[span];
  }
  std::int64_t before(std::size_t span) const { return before_ns.empty() ? 0 : before_ns[span]; }
  std::int64_t after(std::size_t span) const { return after_ns.empty() ? 0 : after_ns[span]; }

  /// The lane with spans shorter than `gap_ns` that follow each other within it as one, which is at
  /// most twenty times as long.
  Lane joined(double gap_ns) const;
};

/// Everything in order of the time it took, the longest first; lanes as they are drawn.
struct Profile {
  std::vector<KernelProfile> kernels;
  std::vector<CopyProfile> copies;
  std::vector<CallProfile> calls;
  std::vector<RangeProfile> ranges;
  std::map<std::string, Tally> overheads;
  std::vector<Lane> lanes;  ///< at most `most_spans` spans in all; none in older files
  /// Seconds by StepPart from the first operation of the busiest device to its last; empty if no
  /// call of the host was traced.
  std::map<std::string, double> parts_s = {};

  bool empty() const { return kernels.empty() && copies.empty() && calls.empty(); }
  /// Seconds of all kernels and copies, of those that ran at once too: what the share of one is of.
  double work_s() const;
};

}  // namespace apod
