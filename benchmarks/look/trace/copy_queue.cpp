#include "benchmarks/look/trace/copy_queue.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "benchmarks/look/trace/seconds.hpp"

namespace apod::trace {
namespace {

constexpr double much_more = 10;       ///< bytes before it / its own
constexpr double nearly_always = 0.9;  ///< of its wait, such a copy ran

/// Intervals in the order of their starts; what several cover counts once.
class Covered {
 public:
  void add(const Activity& activity) {
    const auto start = std::max(activity.start_ns, parts_.empty() ? activity.start_ns : end());
    if (activity.end_ns <= start) return;
    const Part part{start, activity.end_ns, parts_.empty() ? 0 : all_s(), bytes_};
    bytes_ += activity.bytes;
    parts_.push_back(part);
  }
  double seconds_within(std::int64_t from, std::int64_t to) const {
    return seconds_until(to) - seconds_until(from);
  }
  /// Of the intervals that end after `from` and begin before `to`.
  std::uint64_t bytes_within(std::int64_t from, std::int64_t to) const {
    const auto first = std::partition_point(parts_.begin(), parts_.end(),
                                            [&](const Part& part) { return part.end <= from; });
    const auto last = std::partition_point(first, parts_.end(),
                                           [&](const Part& part) { return part.start < to; });
    return bytes_before(last) - bytes_before(first);
  }

 private:
  struct Part {
    std::int64_t start;
    std::int64_t end;
    double seconds_before;
    std::uint64_t bytes_before;
  };
  using Place = std::vector<Part>::const_iterator;

  std::int64_t end() const { return parts_.back().end; }
  double all_s() const {
    return parts_.back().seconds_before + seconds(parts_.back().start, parts_.back().end);
  }
  std::uint64_t bytes_before(Place place) const {
    return place == parts_.end() ? bytes_ : place->bytes_before;
  }
  double seconds_until(std::int64_t time) const {
    const auto next = std::partition_point(parts_.begin(), parts_.end(),
                                           [&](const Part& part) { return part.start < time; });
    if (next == parts_.begin()) return 0;
    const auto& last = *std::prev(next);
    return last.seconds_before + seconds(last.start, std::min(last.end, time));
  }

  std::vector<Part> parts_;
  std::uint64_t bytes_ = 0;
};

bool crosses_link(const Activity& activity) {
  return activity.kind == Activity::Kind::copy &&
         (activity.source == MemoryKind::device) != (activity.target == MemoryKind::device);
}

using Queue = std::pair<std::uint32_t, std::uint32_t>;  ///< a device, and a stream or a direction

Queue engine_of(const Activity& copy) {
  return {copy.device, copy.target == MemoryKind::device ? 1 : 0};
}

/// Of the kernels from `next` on, until another copy over the link.
double kernel_seconds(const std::vector<const Activity*>& operations, std::size_t next) {
  double total_s = 0;
  for (; next < operations.size() && !crosses_link(*operations[next]); ++next) {
    if (operations[next]->kind == Activity::Kind::kernel) total_s += seconds_of(*operations[next]);
  }
  return total_s;
}

}  // namespace

std::vector<QueuedCopy> queued_copies(const Trace& trace) {
  std::unordered_map<std::uint32_t, std::int64_t> called;  // by correlation
  for (const auto& call : trace.calls) {
    if (call.correlation != 0) called.try_emplace(call.correlation, call.start_ns);
  }
  std::set<std::uint32_t> with_events;
  for (const auto& wait : trace.synchronizations) {
    if (wait.kind == Synchronization::Kind::stream_wait) with_events.insert(wait.stream);
  }
  std::map<Queue, std::vector<const Activity*>> streams;
  std::map<Queue, Covered> engines;
  std::map<std::uint32_t, Covered> kernels;
  std::unordered_map<std::uint32_t, int> made;  // by correlation; several by a graph
  for (const auto& activity : trace.activities) {
    ++made[activity.correlation];
    streams[{activity.device, activity.stream}].push_back(&activity);
    if (activity.kind == Activity::Kind::kernel) kernels[activity.device].add(activity);
    if (crosses_link(activity)) engines[engine_of(activity)].add(activity);
  }
  std::vector<QueuedCopy> queued;
  for (const auto& [key, operations] : streams) {
    if (with_events.count(key.second) != 0) continue;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const Activity& copy = *operations[i];
      const auto call = called.find(copy.correlation);
      if (!crosses_link(copy) || call == called.end() || made[copy.correlation] > 1) continue;
      const auto ready = i == 0 ? call->second : std::max(call->second, operations[i - 1]->end_ns);
      const Covered& engine = engines.at(engine_of(copy));
      QueuedCopy found{&copy, engine.bytes_within(ready, copy.start_ns),
                       seconds(ready, copy.start_ns), kernel_seconds(operations, i + 1)};
      if (!(static_cast<double>(found.bytes_before) >=
            much_more * static_cast<double>(copy.bytes)) ||
          !(engine.seconds_within(ready, copy.start_ns) >= nearly_always * found.waited_s) ||
          !(found.lost_s > 0) || !(found.waited_s > 0)) {
        continue;
      }
      const double beside = kernels[copy.device].seconds_within(ready, copy.start_ns);
      found.lost_s = std::min(found.lost_s, found.waited_s - beside);
      queued.push_back(found);
    }
  }
  return queued;
}

}  // namespace apod::trace
