#include "benchmarks/show/export/perfetto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>
#include <set>
#include <string_view>
#include <unordered_map>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/record/archive.hpp"

namespace apod::exports {
namespace {

/// Bars of one thread that overlap without one holding the other, spread over as many tracks as it
/// takes for every track to nest.
class Lanes {
 public:
  /// The track, from 0, for the next bar in order of start.
  std::size_t lane_of(std::int64_t start_ns, std::int64_t end_ns) {
    for (std::size_t lane = 0;; ++lane) {
      if (lane == open_.size()) open_.emplace_back();
      auto& ends = open_[lane];
      while (!ends.empty() && ends.back() <= start_ns) ends.pop_back();
      if (!ends.empty() && ends.back() < end_ns) continue;
      ends.push_back(end_ns);
      return lane;
    }
  }

 private:
  std::vector<std::vector<std::int64_t>> open_;  ///< ends of the open bars of each track
};

// Viewers give process 0 and thread 0 a meaning of their own, and a thread with its process's
// number.
constexpr std::uint64_t host_process = 1;
constexpr std::uint64_t first_device_process = 2;
constexpr std::uint64_t first_track = 1001;

std::string json_text(std::string_view text) {
  return record::dump(record::Json(text::printable(text)));
}

/// What a track shows, and of what: the order of the kinds is that of the tracks.
enum class TrackKind : std::uint8_t { traces, calls, ranges, waits, overheads, stream };
struct TrackKey {
  std::uint64_t process;
  TrackKind kind;
  std::uint32_t number;  ///< thread or stream
  std::size_t lane = 0;

  auto operator<=>(const TrackKey&) const = default;
};

std::string title_of(const TrackKey& key, const TrackNames& names) {
  std::string title;
  const auto thread = names.threads.find(key.number);
  const auto who = thread != names.threads.end() && !thread->second.empty()
                       ? fmt::format("{} ({})", thread->second, key.number)
                       : fmt::format("thread {}", key.number);
  switch (key.kind) {
    case TrackKind::traces:
      title = "cases";
      break;
    case TrackKind::calls:
      title = who;
      break;
    case TrackKind::ranges:
      title = who + " NVTX";
      break;
    case TrackKind::waits:
      title = "waits";
      break;
    case TrackKind::overheads:
      title = "overheads";
      break;
    case TrackKind::stream:
      title = fmt::format("stream {}", key.number);
      break;
  }
  return key.lane == 0 ? title : fmt::format("{} ({})", title, key.lane + 1);
}

/// Viewers want it to be a small number.
std::uint32_t sort_index(const TrackKey& key) {
  constexpr std::uint32_t room = 100000;
  return static_cast<std::uint32_t>(key.kind) * room + key.number % room;
}

/// By start and, of equal ones, the longer first: the order in which bars nest.
template <class Item>
std::vector<const Item*> in_nesting_order(const std::vector<Item>& items) {
  std::vector<const Item*> ordered;
  ordered.reserve(items.size());
  for (const auto& item : items) ordered.push_back(&item);
  std::ranges::stable_sort(ordered, [](const Item* a, const Item* b) {
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->end_ns > b->end_ns;
  });
  return ordered;
}

struct Span {
  std::int64_t start_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();

  template <class Items>
  void cover(const Items& items) {
    for (const auto& item : items) {
      start_ns = std::min(start_ns, item.start_ns);
      end_ns = std::max({end_ns, item.start_ns, item.end_ns});
    }
  }
  bool empty() const { return start_ns > end_ns; }
};

Span span_of(const Trace& trace) {
  Span span;
  span.cover(trace.activities);
  span.cover(trace.calls);
  span.cover(trace.ranges);
  span.cover(trace.synchronizations);
  span.cover(trace.overheads);
  return span;
}

/// What tells a viewer apart one copy from another, as the value of "args".
std::string args_of(const Activity& activity) {
  if (activity.kind == Activity::Kind::kernel) {
    return fmt::format(R"({{"kernel":{},"grid":"{}","block":"{}","registers per thread":{},)"
                       R"("static shared memory, B":{},"dynamic shared memory, B":{},)"
                       R"("local memory per thread, B":{},"correlation":{}}})",
                       json_text(activity.name), fmt::join(activity.grid, ","),
                       fmt::join(activity.block, ","), activity.registers_per_thread,
                       activity.static_shared_bytes, activity.dynamic_shared_bytes,
                       activity.local_bytes, activity.correlation);
  }
  const auto ns = static_cast<double>(activity.end_ns - activity.start_ns);
  const double rate = ns > 0 ? static_cast<double>(activity.bytes) / ns : 0;
  if (activity.kind == Activity::Kind::memset) {
    return fmt::format(R"({{"bytes":{},"GB/s":{:.3f},"correlation":{}}})", activity.bytes, rate,
                       activity.correlation);
  }
  return fmt::format(
      R"({{"bytes":{},"GB/s":{:.3f},"from":"{}","to":"{}","synchronous":{},"correlation":{}}})",
      activity.bytes, rate, to_string(activity.source), to_string(activity.target),
      activity.synchronous, activity.correlation);
}

class PerfettoWriter {
 public:
  PerfettoWriter(std::ostream& out, const TrackNames& names, std::int64_t origin_ns)
      : out_(out), names_(names), origin_ns_(origin_ns) {
    out_ << R"({"displayTimeUnit":"ns","traceEvents":[)";
    // A first event spares all others the question whether a comma goes before them.
    out_ << "\n" << process_name(host_process, "host");
  }

  void write(const NamedTrace& named) {
    const Trace& trace = *named.trace;
    const auto span = span_of(trace);
    if (!named.name.empty() && !span.empty())
      bar({host_process, TrackKind::traces, 0}, span.start_ns, span.end_ns, json_text(named.name));
    write_calls(trace);
    write_ranges(trace);
    write_waits(trace);
    write_activities(trace);
  }

  void finish() { out_ << "\n]}\n"; }

 private:
  /// Where an arrow begins.
  struct Launch {
    std::uint64_t track;
    std::int64_t start_ns;
  };

  static std::string process_name(std::uint64_t process, const std::string& name) {
    return fmt::format(
        R"({{"ph":"M","pid":{},"tid":0,"name":"process_name","args":{{"name":{}}}}})", process,
        json_text(name));
  }

  void write_calls(const Trace& trace) {
    launches_.clear();
    std::map<std::uint32_t, Lanes> lanes;
    for (const auto* call : in_nesting_order(trace.calls)) {
      const TrackKey key{host_process, TrackKind::calls, call->thread,
                         lanes[call->thread].lane_of(call->start_ns, call->end_ns)};
      bar(key, call->start_ns, call->end_ns, json_text(call->name));
      if (call->correlation != 0)
        launches_.try_emplace(call->correlation, Launch{track(key), call->start_ns});
    }
  }

  void write_ranges(const Trace& trace) {
    std::map<std::uint32_t, Lanes> lanes;
    for (const auto* range : in_nesting_order(trace.ranges)) {
      const TrackKey key{host_process, TrackKind::ranges, range->thread,
                         lanes[range->thread].lane_of(range->start_ns, range->end_ns)};
      const auto name = range->domain.empty() ? range->name : range->domain + ":" + range->name;
      bar(key, range->start_ns, range->end_ns, json_text(name));
    }
  }

  void write_waits(const Trace& trace) {
    static constexpr std::array kinds{"wait for an event", "stream waits for an event",
                                      "wait for a stream", "wait for the device"};
    Lanes waits;
    for (const auto* wait : in_nesting_order(trace.synchronizations)) {
      bar({host_process, TrackKind::waits, 0, waits.lane_of(wait->start_ns, wait->end_ns)},
          wait->start_ns, wait->end_ns, json_text(kinds.at(static_cast<std::size_t>(wait->kind))));
    }
    Lanes overheads;
    for (const auto* overhead : in_nesting_order(trace.overheads)) {
      bar({host_process, TrackKind::overheads, 0,
           overheads.lane_of(overhead->start_ns, overhead->end_ns)},
          overhead->start_ns, overhead->end_ns, json_text(overhead->kind));
    }
  }

  void write_activities(const Trace& trace) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> stream_end;
    for (const auto& activity : trace.activities) {
      const TrackKey key{first_device_process + activity.device, TrackKind::stream,
                         activity.stream};
      // A stream runs one operation after the other; a start before the last end is a clock's
      // noise.
      auto& last = stream_end
                       .try_emplace({activity.device, activity.stream},
                                    std::numeric_limits<std::int64_t>::min())
                       .first->second;
      const auto start = std::max(activity.start_ns, last);
      last = std::max(start, activity.end_ns);
      bar(key, start, last, title(activity), args_of(activity));
      const auto launch = launches_.find(activity.correlation);
      if (activity.correlation != 0 && launch != launches_.end()) arrow(launch->second, key, start);
    }
  }

  /// Names are few and long: each is made fit for JSON once.
  const std::string& title(const Activity& activity) {
    const auto [found, is_new] = titles_.try_emplace(activity.name);
    if (is_new) {
      found->second =
          json_text(activity.kind == Activity::Kind::kernel ? short_kernel_name(activity.name)
                    : activity.kind == Activity::Kind::copy ? "copy " + activity.name
                                                            : activity.name);
    }
    return found->second;
  }

  void bar(const TrackKey& key, std::int64_t start_ns, std::int64_t end_ns, const std::string& name,
           const std::string& args = {}) {
    const auto id = track(key);
    out_ << fmt::format(
        ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":{}{}{}}}",
        key.process, id, time(start_ns - origin_ns_),
        time(std::max<std::int64_t>(0, end_ns - start_ns)), name,
        args.empty() ? "" : ",\"args\":", args);
  }

  void arrow(const Launch& from, const TrackKey& to, std::int64_t start_ns) {
    ++arrows_;
    out_ << fmt::format(
        ",\n{{\"ph\":\"s\",\"cat\":\"launch\",\"name\":\"launch\",\"id\":{0},\"pid\":{1},\"tid\":{"
        "2},"
        "\"ts\":{3}}},\n{{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"launch\",\"name\":\"launch\",\"id\":{"
        "0},"
        "\"pid\":{4},\"tid\":{5},\"ts\":{6}}}",
        arrows_, host_process, from.track, time(from.start_ns - origin_ns_), to.process, track(to),
        time(start_ns - origin_ns_));
  }

  /// Microseconds with all digits of a nanosecond.
  static std::string time(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

  std::uint64_t track(const TrackKey& key) {
    const auto [found, is_new] = tracks_.try_emplace(key, first_track + tracks_.size());
    if (is_new) introduce(key, found->second);
    return found->second;
  }

  void introduce(const TrackKey& key, std::uint64_t id) {
    if (key.process != host_process && processes_.insert(key.process).second) {
      const auto device = static_cast<std::uint32_t>(key.process - first_device_process);
      const auto name = names_.devices.find(device);
      const auto title = fmt::format("device {}", device);
      out_ << ",\n"
           << process_name(key.process, name == names_.devices.end() || name->second.empty()
                                            ? title
                                            : title + ": " + name->second);
    }
    out_ << fmt::format(
        ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_name\",\"args\":{{\"name\":{2}"
        "}}}},"
        "\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_sort_index\",\"args\":{{"
        "\"sort_index\":{3}}}}}",
        key.process, id, json_text(title_of(key, names_)), sort_index(key));
  }

  std::ostream& out_;
  const TrackNames& names_;
  std::int64_t origin_ns_;
  std::map<TrackKey, std::uint64_t> tracks_;
  std::set<std::uint64_t> processes_;
  std::unordered_map<std::string, std::string> titles_;
  std::unordered_map<std::uint32_t, Launch> launches_;  ///< of the trace in hand
  std::uint64_t arrows_ = 0;
};

}  // namespace

void write_perfetto(std::ostream& out, const std::vector<NamedTrace>& traces,
                    const TrackNames& names) {
  std::int64_t origin_ns = std::numeric_limits<std::int64_t>::max();
  for (const auto& named : traces) origin_ns = std::min(origin_ns, span_of(*named.trace).start_ns);
  PerfettoWriter writer(out, names, origin_ns);
  for (const auto& named : traces) writer.write(named);
  writer.finish();
}

}  // namespace apod::exports
