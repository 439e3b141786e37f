#include "benchmarks/look/trace/lanes.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/look/trace/find_steps.hpp"
#include "benchmarks/look/trace/host_time.hpp"
#include "benchmarks/look/trace/seconds.hpp"
#include "benchmarks/look/trace/window.hpp"

namespace apod::trace {
namespace {

/// Spans that are closer than this part of the whole time are one.
constexpr double resolution = 1.0 / 2400;
constexpr std::int64_t room = 20;  ///< a twentieth of the time, before and behind it

struct Event {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::string name;
};

struct Row {
  std::string name;
  std::int64_t order = 0;                                 ///< within its group
  std::map<std::string, std::vector<Event>> events = {};  ///< by what they are
};

/// The events of a window by row.
class Rows {
 public:
  enum Group : std::uint8_t { ranges, threads, recorder, copies, streams };

  explicit Rows(const TimeSpan& window) : window_(window) {}

  /// The least of the orders that a row is given counts.
  void add(Group group, std::int64_t order, const std::string& name, const char* what,
           Event event) {
    // What ends where the window begins, or begins where it ends, lies outside.
    const auto [first, last] = window_;
    if (event.start_ns >= last || (event.end_ns <= first && event.start_ns != first)) return;
    auto& row = groups_[group].try_emplace(name, Row{name, order}).first->second;
    row.order = std::min(row.order, order);
    row.events[what].push_back(std::move(event));
  }

  /// The first rows of each group, in the order in which they are drawn; the rest of the group is
  /// one row.
  std::vector<Row> take() {
    struct Limit {
      std::size_t most;
      const char* rest;
    };
    static constexpr std::array<Limit, 5> limits{{{8, "other NVTX names"},
                                                  {6, "other threads"},
                                                  {1, ""},
                                                  {8, "other copies"},
                                                  {32, "other streams"}}};
    std::vector<Row> all;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      std::vector<Row> rows;
      for (auto& [name, row] : groups_[group]) rows.push_back(std::move(row));
      std::ranges::stable_sort(rows, {}, &Row::order);
      const auto& [most, rest] = limits[group];
      for (std::size_t i = most; i < rows.size(); ++i) {
        auto& last = rows[most - 1];
        for (auto& [what, events] : rows[i].events)
          std::move(events.begin(), events.end(), std::back_inserter(last.events[what]));
      }
      if (rows.size() > most) {
        rows[most - 1].name = std::to_string(rows.size() - most + 1) + ' ' + rest;
        rows.resize(most);
      }
      std::move(rows.begin(), rows.end(), std::back_inserter(all));
    }
    return all;
  }

 private:
  TimeSpan window_;
  std::array<std::map<std::string, Row>, 5> groups_;
};

/// Where a thread stands among the others, and what it is called there.
struct ThreadRow {
  std::int64_t order = 0;
  std::string name;
};

std::map<std::uint32_t, ThreadRow> thread_rows(const Trace& trace, const ThreadNames& names) {
  std::map<std::uint32_t, std::int64_t> first_calls;
  for (const auto& call : trace.calls) {
    auto& first = first_calls.try_emplace(call.thread, call.start_ns).first->second;
    first = std::min(first, call.start_ns);
  }
  std::vector<std::pair<std::int64_t, std::uint32_t>> in_order;
  for (const auto& [thread, first] : first_calls) in_order.emplace_back(first, thread);
  std::ranges::sort(in_order);
  std::map<std::uint32_t, ThreadRow> rows;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const auto thread = in_order[i].second;
    const std::string number = "thread " + std::to_string(i + 1);
    const auto named = names.find(thread);
    const bool has_name = named != names.end() && !named->second.empty();
    std::string name = has_name ? named->second : i == 0 ? "main thread" : number;
    // Threads of one program often have its name.
    if (!taken.insert(name).second) name += " (" + number + ")";
    rows[thread] = {static_cast<std::int64_t>(i), std::move(name)};
  }
  return rows;
}

/// The row of each name of an NVTX range: names that differ by a number alone share one, unless
/// ranges of two of them lie within each other.
std::map<std::string, std::string> range_rows(const Trace& trace) {
  struct Group {
    std::map<std::uint32_t, const NvtxRange*> last;  ///< by thread
    std::set<std::string> names;
    bool nested = false;
  };
  std::map<std::string, Group> groups;
  for (const auto& range : trace.ranges) {
    auto& group = groups[numbered(range.name)];
    group.names.insert(range.name);
    auto& last = group.last[range.thread];
    if (last != nullptr && last->name != range.name && range.start_ns < last->end_ns)
      group.nested = true;
    if (last == nullptr || range.end_ns > last->end_ns) last = &range;
  }
  std::map<std::string, std::string> rows;
  for (const auto& [numbered_name, group] : groups) {
    const bool share = group.names.size() > 1 && !group.nested;
    for (const auto& name : group.names) rows[name] = share ? numbered_name : name;
  }
  return rows;
}

Rows rows_of(const Trace& trace, const ThreadNames& names, const TimeSpan& window) {
  Rows rows(window);
  const bool several = devices_of(trace).size() > 1;
  for (const auto& activity : trace.activities) {
    const bool kernel = activity.kind == Activity::Kind::kernel;
    const Event event{activity.start_ns, activity.end_ns,
                      kernel ? short_kernel_name(activity.name) : activity.name};
    const auto order =
        static_cast<std::int64_t>((std::uint64_t{activity.device} << 32U) + activity.stream);
    rows.add(Rows::streams, order,
             (several ? "device " + std::to_string(activity.device) + ", " : "") + "stream " +
                 std::to_string(activity.stream),
             kernel ? "kernels" : "copies", event);
    if (!kernel) rows.add(Rows::copies, event.start_ns, activity.name, "copies", event);
  }
  const auto threads = thread_rows(trace, names);
  for (const auto& call : trace.calls) {
    const auto& [order, name] = threads.at(call.thread);
    rows.add(Rows::threads, order, name, "calls", {call.start_ns, call.end_ns, call.name});
  }
  const auto row_of_range = range_rows(trace);
  for (const auto& range : trace.ranges) {
    if (range.end_ns <= range.start_ns) continue;
    rows.add(Rows::ranges, range.start_ns, "NVTX " + row_of_range.at(range.name), "ranges",
             {range.start_ns, range.end_ns, range.name});
  }
  for (const auto& overhead : trace.overheads) {
    if (!is_of_recorder(overhead)) continue;
    rows.add(Rows::recorder, 0, "recorder", "recorder",
             {overhead.start_ns, overhead.end_ns, overhead.kind});
  }
  return rows;
}

/// What reaches beyond the window is cut at its ends.
Lane lane_of(const std::string& name, const std::string& what, std::vector<Event>& events,
             const TimeSpan& window) {
  std::ranges::sort(events, {}, &Event::start_ns);
  Lane lane{name, what, {}, {}, {}, {}, {}};
  std::map<std::string, std::size_t> places;
  for (const Event& event : events) {
    const auto start = std::max(event.start_ns, window.start_ns);
    const auto end = std::max(start, std::min(event.end_ns, window.end_ns));
    const auto [place, is_new] = places.try_emplace(event.name, lane.names.size());
    if (is_new) lane.names.push_back(event.name);
    lane.of.push_back(place->second);
    lane.start_ns.push_back(start - window.start_ns);
    lane.length_ns.push_back(end - start);
    lane.count.push_back(1);
    lane.before_ns.push_back(start - std::min(start, event.start_ns));
    lane.after_ns.push_back(std::max(end, event.end_ns) - end);
  }
  for (auto* cut : {&lane.before_ns, &lane.after_ns}) {
    if (std::ranges::all_of(*cut, [](auto ns) { return ns == 0; })) cut->clear();
  }
  return lane;
}

std::vector<Lane> lanes_within(const Trace& trace, const ThreadNames& threads,
                               const TimeSpan& window) {
  std::vector<Lane> whole;
  if (window.end_ns <= window.start_ns) return whole;
  for (auto& row : rows_of(trace, threads, window).take()) {
    for (auto& [what, events] : row.events) {
      auto lane = lane_of(row.name, what, events, window);
      if (lane.size() > 0) whole.push_back(std::move(lane));
    }
  }
  const auto all = static_cast<double>(window.end_ns - window.start_ns);
  for (double gap = all * resolution;; gap *= 2) {
    std::vector<Lane> lanes;
    std::size_t spans = 0;
    for (const auto& lane : whole) spans += lanes.emplace_back(lane.joined(gap)).size();
    if (spans <= most_spans || 2 * gap >= 4 * all) return lanes;
  }
}

}  // namespace

std::vector<Lane> lanes_of(const Trace& trace, const ThreadNames& threads) {
  TimeSpan window;
  const auto cover = [&](const auto& items) {
    for (const auto& item : items) {
      window = window.with({std::clamp(item.start_ns, -furthest_ns, furthest_ns),
                            std::clamp(item.end_ns, -furthest_ns, furthest_ns)});
    }
  };
  cover(trace.activities);
  if (window.end_ns > window.start_ns) {
    const auto around = (window.end_ns - window.start_ns) / room;
    return lanes_within(trace, threads, {window.start_ns - around, window.end_ns + around});
  }
  cover(trace.calls);
  cover(trace.ranges);
  return lanes_within(trace, threads, window);
}

std::vector<Lane> lanes_between(const Trace& trace, const ThreadNames& threads, std::int64_t from,
                                std::int64_t to) {
  return lanes_within(trace, threads, {from, to});
}

}  // namespace apod::trace
