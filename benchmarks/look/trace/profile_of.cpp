#include "benchmarks/look/trace/profile_of.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "benchmarks/base/kernel_operations.hpp"
#include "benchmarks/look/trace/copy_queue.hpp"
#include "benchmarks/look/trace/lanes.hpp"
#include "benchmarks/look/trace/seconds.hpp"
#include "benchmarks/look/trace/step_parts.hpp"
#include "benchmarks/look/trace/window.hpp"
#include "kernels/data/fnv.hpp"

namespace apod::trace {
namespace {

/// Entries by their key.
template <class Key, class Entry>
class Groups {
 public:
  /// The entry of `key`, made by `make` when it is new.
  template <class Make>
  Entry& of(const Key& key, const Make& make) {
    const auto found = entries_.find(key);
    return found != entries_.end() ? found->second : entries_.emplace(key, make()).first->second;
  }

  /// The longest first. Equal ones stay in the order of their keys, which begin with the name.
  std::vector<Entry> by_time() {
    std::vector<Entry> ordered;
    ordered.reserve(entries_.size());
    for (auto& [key, entry] : entries_) ordered.push_back(std::move(entry));
    std::ranges::stable_sort(
        ordered, [](const Entry& a, const Entry& b) { return a.time.total_s > b.time.total_s; });
    return ordered;
  }

 private:
  std::map<Key, Entry> entries_;
};

// Keys refer to names in the trace, which outlives the groups.
using Sizes = std::array<std::uint32_t, 3>;
using KernelKey = std::tuple<std::string_view, Sizes, Sizes, std::uint32_t, std::uint32_t,
                             std::uint32_t, std::uint32_t, const Operation*>;
using CopyKey = std::tuple<std::string_view, MemoryKind, MemoryKind>;
using CallKey = std::pair<std::string_view, bool>;
using RangeKey = std::pair<std::string_view, std::string_view>;

KernelProfile kernel_of(const Activity& activity, const Operation* operation) {
  KernelProfile kernel;
  kernel.name = activity.name;
  kernel.grid = activity.grid;
  kernel.block = activity.block;
  kernel.registers_per_thread = activity.registers_per_thread;
  kernel.static_shared_bytes = activity.static_shared_bytes;
  kernel.dynamic_shared_bytes = activity.dynamic_shared_bytes;
  kernel.local_bytes = activity.local_bytes;
  kernel.resident_blocks = activity.resident_blocks;
  kernel.limiter = activity.limiter;
  if (operation != nullptr) kernel.operation = *operation;
  return kernel;
}

CopyProfile copy_of(const Activity& activity) {
  CopyProfile copy;
  copy.name = activity.name;
  copy.source = activity.source;
  copy.target = activity.target;
  return copy;
}

}  // namespace

Profile profile_of(const Trace& trace, const ThreadNames& threads) {
  Groups<KernelKey, KernelProfile> kernels;
  Groups<CopyKey, CopyProfile> copies;
  const KernelOperations operations(trace);
  // Starts of the first and the last kernel.
  auto first_kernel_ns = std::numeric_limits<std::int64_t>::max();
  auto last_kernel_ns = std::numeric_limits<std::int64_t>::min();
  for (const auto& activity : trace.activities) {
    if (activity.kind == Activity::Kind::kernel) {
      first_kernel_ns = std::min(first_kernel_ns, activity.start_ns);
      last_kernel_ns = std::max(last_kernel_ns, activity.start_ns);
      const auto* operation = operations.of(activity);
      const KernelKey key{activity.name,
                          activity.grid,
                          activity.block,
                          activity.static_shared_bytes,
                          activity.dynamic_shared_bytes,
                          activity.registers_per_thread,
                          activity.local_bytes,
                          operation};
      kernels.of(key, [&] { return kernel_of(activity, operation); })
          .time.add(seconds_of(activity));
      continue;
    }
    auto& copy = copies.of({activity.name, activity.source, activity.target},
                           [&] { return copy_of(activity); });
    copy.time.add(seconds_of(activity));
    copy.bytes += activity.bytes;
    copy.synchronous += activity.synchronous ? 1 : 0;
  }
  for (const auto& [queued, bytes, waited_s, lost_s] : queued_copies(trace)) {
    auto& copy =
        copies.of({queued->name, queued->source, queued->target}, [&] { return copy_of(*queued); });
    ++copy.queued;
    copy.queued_s += waited_s;
    copy.queued_lost_s += lost_s;
  }
  Groups<CallKey, CallProfile> calls;
  for (const auto& call : trace.calls) {
    auto& same = calls.of({call.name, call.driver}, [&] {
      return CallProfile{call.name, call.driver, {}, {}};
    });
    same.time.add(seconds_of(call));
    if (call.start_ns > first_kernel_ns && call.start_ns < last_kernel_ns)
      same.among_kernels.add(seconds_of(call));
  }
  Groups<RangeKey, RangeProfile> ranges;
  for (const auto& range : trace.ranges) {
    ranges
        .of({range.domain, range.name},
            [&] {
              return RangeProfile{range.domain, range.name, {}};
            })
        .time.add(seconds_of(range));
  }
  Profile profile{kernels.by_time(),       copies.by_time(), calls.by_time(), ranges.by_time(), {},
                  lanes_of(trace, threads)};
  const auto devices = devices_of(trace);
  if (!devices.empty() && !trace.calls.empty())
    profile.parts_s = by_name(parts_of(trace, devices.front()));
  for (const auto& overhead : trace.overheads)
    profile.overheads[overhead.kind].add(seconds_of(overhead));
  return profile;
}

std::map<std::string, std::string> kernel_code_of(const Trace& trace) {
  std::map<std::string, std::set<std::uint64_t>> hashes;
  bool any_seen = false;
  for (const auto& activity : trace.activities) {
    if (activity.kind != Activity::Kind::kernel) continue;
    hashes[activity.name].insert(activity.code);
    any_seen = any_seen || activity.code != 0;
  }
  std::map<std::string, std::string> code;
  if (!any_seen) return code;
  for (const auto& [name, all] : hashes) code[name] = all.count(0) != 0 ? "" : hex(combined(all));
  return code;
}

}  // namespace apod::trace
