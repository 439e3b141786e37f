#include "benchmarks/look/trace/timeline.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/look/trace/seconds.hpp"

namespace apod::trace {
namespace {

/// What runs between two neighbouring times.
struct Running {
  int operations = 0;
  int kernels = 0;
  int copies = 0;
  int open_streams = 0;  ///< see OpenStreams
};

/// A fact that is the time in which something holds.
struct TimeFact {
  const char* name;
  bool (*holds)(const Running& now);
};
constexpr std::array shares{
    TimeFact{"busy", [](const Running& now) { return now.operations > 0; }},
    TimeFact{"idle", [](const Running& now) { return now.operations == 0; }},
    TimeFact{"overlap", [](const Running& now) { return now.operations > 1; }},
    TimeFact{"copy_kernel_overlap",
             [](const Running& now) { return now.copies > 0 && now.kernels > 0; }},
    TimeFact{"kernel_overlap", [](const Running& now) { return now.kernels > 1; }},
    TimeFact{"concurrent_busy",
             [](const Running& now) { return now.operations > 0 && now.open_streams > 1; }}};
constexpr std::array times{
    TimeFact{"kernel_time", [](const Running& now) { return now.kernels > 0; }},
    TimeFact{"copy_time", [](const Running& now) { return now.copies > 0; }}};

/// An operation begins (sign +1) or ends (-1).
struct Edge {
  std::int64_t time_ns;
  int sign;
  const Activity* activity;
  double threads;  ///< resident threads of a kernel
};

double device_threads(const DeviceFacts& device) {
  return static_cast<double>(std::max(0, device.multiprocessors)) *
         std::max(0, device.max_threads_per_multiprocessor);
}

double resident_threads(const Activity& activity, const DeviceFacts& device) {
  const auto product = [](const std::array<std::uint32_t, 3>& sizes) {
    return static_cast<double>(sizes[0]) * sizes[1] * sizes[2];
  };
  const double block = product(activity.block);
  if (activity.kind != Activity::Kind::kernel || block <= 0) return 0;
  if (activity.resident_blocks == 0)
    return std::min(product(activity.grid) * block, device_threads(device));
  const double blocks = static_cast<double>(activity.resident_blocks) * device.multiprocessors;
  return std::min(product(activity.grid), blocks) * block;
}

/// The edges in order of time, with the operations of each stream one after the other.
std::vector<Edge> edges_of(const Trace& trace, const DeviceFacts& device) {
  std::vector<const Activity*> ordered;
  ordered.reserve(trace.activities.size());
  for (const auto& activity : trace.activities) ordered.push_back(&activity);
  std::ranges::stable_sort(ordered, {}, &Activity::start_ns);
  std::vector<Edge> edges;
  edges.reserve(2 * ordered.size());
  std::unordered_map<std::uint32_t, std::int64_t> stream_end;
  for (const auto* activity : ordered) {
    const auto [last, first_of_stream] = stream_end.try_emplace(activity->stream, 0);
    const std::int64_t start =
        first_of_stream ? activity->start_ns : std::max(activity->start_ns, last->second);
    const std::int64_t end = std::max(start, activity->end_ns);
    last->second = end;
    const double threads = resident_threads(*activity, device);
    edges.push_back({start, 1, activity, threads});
    edges.push_back({end, -1, activity, threads});
  }
  std::ranges::stable_sort(edges, {}, &Edge::time_ns);
  return edges;
}

/// How many streams are in use, from the first operation to the last of each: those among which
/// work could run at once.
class OpenStreams {
 public:
  explicit OpenStreams(const std::vector<Edge>& edges) {
    for (const auto& edge : edges) {
      if (counts(edge)) ++edges_left_[edge.activity->stream];
    }
    for (const auto& [stream, edges_of_it] : edges_left_) total_[stream] = edges_of_it;
  }
  void pass(const Edge& edge) {
    if (!counts(edge)) return;
    const std::uint32_t stream = edge.activity->stream;
    std::size_t& left = edges_left_[stream];
    if (left == total_[stream]) most_ = std::max(most_, ++open_);
    if (--left == 0) --open_;
  }
  int open() const { return open_; }
  int most() const { return most_; }

 private:
  /// Memsets prepare memory for other operations, so they do not count as use of a stream.
  static bool counts(const Edge& edge) { return edge.activity->kind != Activity::Kind::memset; }

  std::unordered_map<std::uint32_t, std::size_t> edges_left_;
  std::unordered_map<std::uint32_t, std::size_t> total_;
  int open_ = 0;
  int most_ = 0;
};

void apply(const Edge& edge, Running& running) {
  const Activity& activity = *edge.activity;
  running.operations += edge.sign;
  if (activity.kind == Activity::Kind::kernel) running.kernels += edge.sign;
  if (activity.kind == Activity::Kind::copy) running.copies += edge.sign;
}

/// What needs no time: numbers of operations and streams, bytes, the largest kernels.
std::map<std::string, double> counts_of(const Trace& trace) {
  std::set<std::uint32_t> streams;
  double kernels = 0;
  double copies = 0;
  double pageable = 0;
  double pinned = 0;
  std::uint32_t registers = 0;
  std::uint32_t local = 0;
  std::uint32_t shared = 0;
  for (const auto& activity : trace.activities) {
    if (activity.kind != Activity::Kind::memset) streams.insert(activity.stream);
    if (activity.kind == Activity::Kind::kernel) {
      ++kernels;
      registers = std::max(registers, activity.registers_per_thread);
      local = std::max(local, activity.local_bytes);
      shared = std::max(shared, activity.static_shared_bytes + activity.dynamic_shared_bytes);
    } else if (activity.kind == Activity::Kind::copy) {
      ++copies;
      const auto touches = [&](MemoryKind kind) {
        return activity.source == kind || activity.target == kind;
      };
      const bool paged = touches(MemoryKind::pageable);
      if (paged || touches(MemoryKind::pinned))
        (paged ? pageable : pinned) += static_cast<double>(activity.bytes);
    }
  }
  std::map<std::string, double> facts{{"traced_streams", static_cast<double>(streams.size())},
                                      {"kernels", kernels},
                                      {"copies", copies},
                                      {"pageable_bytes", pageable},
                                      {"pinned_bytes", pinned}};
  if (registers == 0) return facts;  // kernels on the host have none
  facts["registers"] = registers;
  facts["local_bytes"] = local;
  facts["shared_bytes"] = shared;
  return facts;
}

using Interval = std::pair<std::int64_t, std::int64_t>;  ///< from, to; ns

/// Time that the intervals cover together within `span`, in seconds.
double covered_s(std::vector<Interval> intervals, const Interval& span) {
  std::ranges::sort(intervals);
  double total = 0;
  std::int64_t until = span.first;
  for (const auto& [from, to] : intervals) {
    const std::int64_t begin = std::max(from, until);
    const std::int64_t end = std::min(to, span.second);
    if (end <= begin) continue;
    total += seconds(begin, end);
    until = end;
  }
  return total;
}

std::optional<double> host_wait(const Trace& trace, const Interval& span) {
  if (trace.calls.empty() && trace.synchronizations.empty()) return std::nullopt;
  std::vector<Interval> waits;
  for (const auto& wait : trace.synchronizations) {
    if (wait.kind == Synchronization::Kind::stream_wait) continue;
    waits.emplace_back(wait.start_ns, wait.end_ns);
  }
  for (const auto& activity : trace.activities) {
    if (activity.synchronous) waits.emplace_back(activity.start_ns, activity.end_ns);
  }
  return covered_s(std::move(waits), span);
}

/// `edges` are in order of time.
std::optional<double> launch_latency(const Trace& trace, const std::vector<Edge>& edges) {
  std::unordered_map<std::uint32_t, std::int64_t>
      called_at;  // by correlation; erased at the first look-up
  called_at.reserve(trace.calls.size());
  for (const auto& call : trace.calls) {
    if (call.correlation != 0) called_at.try_emplace(call.correlation, call.start_ns);
  }
  std::vector<double> latencies;
  int running = 0;
  std::int64_t last_end = std::numeric_limits<std::int64_t>::min();
  for (const Edge& edge : edges) {
    running += edge.sign;
    if (edge.sign < 0) {
      last_end = edge.time_ns;
      continue;
    }
    const auto call = called_at.find(edge.activity->correlation);
    if (call == called_at.end()) continue;
    const std::int64_t called = call->second;
    called_at.erase(call);
    const bool alone = running == 1 && last_end <= called;
    const bool counts = edge.activity->kind != Activity::Kind::memset && called <= edge.time_ns;
    if (alone && counts) latencies.push_back(seconds(called, edge.time_ns));
  }
  if (latencies.empty()) return std::nullopt;
  return stats::median(latencies);
}

}  // namespace

std::map<std::string, double> facts_of(const Trace& trace, const DeviceFacts& device) {
  if (trace.activities.empty()) return {};
  auto facts = counts_of(trace);
  const auto edges = edges_of(trace, device);
  const Interval all{edges.front().time_ns, edges.back().time_ns};
  const double span = seconds(all.first, all.second);
  const double capacity = device_threads(device);
  Running running;
  OpenStreams streams_in_use(edges);
  std::array<double, shares.size()> share_s{};
  std::array<double, times.size()> time_s{};
  double longest_gap_s = 0;
  double threads = 0;
  double thread_seconds = 0;
  std::int64_t now = all.first;
  for (const Edge& edge : edges) {
    const double elapsed = seconds(now, edge.time_ns);
    now = edge.time_ns;
    running.open_streams = streams_in_use.open();
    for (std::size_t i = 0; i < shares.size(); ++i)
      share_s[i] += shares[i].holds(running) ? elapsed : 0;
    for (std::size_t i = 0; i < times.size(); ++i)
      time_s[i] += times[i].holds(running) ? elapsed : 0;
    if (running.operations == 0) longest_gap_s = std::max(longest_gap_s, elapsed);
    thread_seconds += elapsed * std::min(threads, capacity);
    apply(edge, running);
    streams_in_use.pass(edge);
    threads += edge.sign * edge.threads;  // whole numbers, so no rounding error remains
  }
  const auto share = [&](double part_s) { return span > 0 ? std::min(1.0, part_s / span) : 0; };
  for (std::size_t i = 0; i < shares.size(); ++i) facts[shares[i].name] = share(share_s[i]);
  for (std::size_t i = 0; i < times.size(); ++i) facts[times[i].name] = time_s[i];
  facts["concurrent_streams"] = streams_in_use.most();
  facts["span"] = span;
  facts["longest_gap"] = longest_gap_s;
  if (const auto wait_s = host_wait(trace, all)) facts["host_wait"] = share(*wait_s);
  if (const auto latency_s = launch_latency(trace, edges)) facts["launch_latency"] = *latency_s;
  // Absent where there are no threads to count, as on the host.
  if (capacity > 0 && thread_seconds > 0 && span > 0)
    facts["occupancy"] = thread_seconds / (capacity * span);
  return facts;
}

}  // namespace apod::trace
