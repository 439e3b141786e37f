#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "benchmarks/model/kernel_name.hpp"
#include "benchmarks/report/curve_axes.hpp"
#include "benchmarks/report/explanation.hpp"
#include "benchmarks/report/figures.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::report {
namespace {

using figure::Figure;

constexpr std::size_t most_parts = 6;  ///< of a traced case
constexpr double nearly_all_of_it = 0.99;
constexpr std::size_t most_profiles = 12;  ///< whose profiles are drawn
constexpr std::size_t most_ranges = 8;     ///< lanes of a trace
constexpr std::size_t most_threads = 6;
/// Spans that are closer than this part of the whole time are drawn as one.
constexpr double resolution = 1.0 / 1200;

struct Event {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::string name;
};

/// The lanes of a trace: their events, by what they are.
struct Lane {
  std::string title;
  std::map<std::string, std::vector<Event>> events;
};

std::vector<Lane> lanes_of(const Trace& trace) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Lane> streams;
  std::map<std::string, Lane> copies;
  std::map<std::uint32_t, Lane> threads;
  std::map<std::string, Lane> ranges;
  for (const auto& activity : trace.activities) {
    const bool kernel = activity.kind == Activity::Kind::kernel;
    const Event event{activity.start_ns, activity.end_ns,
                      kernel ? short_kernel_name(activity.name) : activity.name};
    auto& stream = streams[{activity.device, activity.stream}];
    stream.title = fmt::format("stream {}", activity.stream);
    if (kernel) {
      stream.events["kernels"].push_back(event);
    } else {
      stream.events["copies"].push_back(event);
      auto& lane = copies[activity.name];
      lane.title = activity.name;
      lane.events["copies"].push_back(event);
    }
  }
  for (const auto& call : trace.calls) {
    auto& lane = threads[call.thread];
    lane.title = fmt::format("host thread {}", call.thread);
    lane.events["calls"].push_back({call.start_ns, call.end_ns, call.name});
  }
  for (const auto& range : trace.ranges) {
    if (range.end_ns <= range.start_ns) continue;
    auto& lane = ranges[range.name];
    lane.title = "NVTX " + range.name;
    lane.events["ranges"].push_back({range.start_ns, range.end_ns, range.name});
  }
  std::vector<Lane> lanes;
  for (auto& [key, lane] : ranges) {
    if (lanes.size() < most_ranges) lanes.push_back(std::move(lane));
  }
  std::size_t count = 0;
  for (auto& [key, lane] : threads) {
    if (count++ < most_threads) lanes.push_back(std::move(lane));
  }
  for (auto& [key, lane] : copies) lanes.push_back(std::move(lane));
  for (auto& [key, lane] : streams) lanes.push_back(std::move(lane));
  return lanes;
}

/// Events that nobody could tell apart become one.
std::vector<figure::Point> spans_of(std::vector<Event> events, std::int64_t origin, double row,
                                    double gap_ns) {
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; });
  std::vector<figure::Point> spans;
  std::size_t count = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::string name;
  const auto flush = [&] {
    if (count == 0) return;
    const double low = static_cast<double>(start - origin) * 1e-9;
    const double high = static_cast<double>(end - origin) * 1e-9;
    const std::string what = count == 1 ? name : fmt::format("{} events, first {}", count, name);
    spans.push_back({low, row, low, high,
                     fmt::format("{}: {} from {}", what, text::format_time(high - low),
                                 text::format_time(low))});
  };
  for (const auto& event : events) {
    const bool joins = count > 0 && static_cast<double>(event.start_ns - end) < gap_ns &&
                       static_cast<double>(event.end_ns - event.start_ns) < gap_ns &&
                       static_cast<double>(end - start) < 20 * gap_ns;
    if (joins) {
      ++count;
      end = std::max(end, event.end_ns);
      continue;
    }
    flush();
    count = 1;
    start = event.start_ns;
    end = event.end_ns;
    name = event.name;
  }
  flush();
  return spans;
}

/// From the first operation of the device to the last, with some room; where there is none, from
/// the first call or range to the last.
struct Window {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();

  template <class Items>
  void cover(const Items& items) {
    for (const auto& item : items) {
      first = std::min(first, item.start_ns);
      last = std::max(last, item.end_ns);
    }
  }
  bool empty() const { return last <= first; }
};

Window window_of(const Trace& trace) {
  Window window;
  window.cover(trace.activities);
  if (window.empty()) {
    window.cover(trace.calls);
    window.cover(trace.ranges);
    return window;
  }
  const auto room = (window.last - window.first) / 20;
  window.first -= room;
  window.last += room;
  return window;
}

/// The events within the window, cut at its ends.
std::vector<Event> within(const Window& window, const std::vector<Event>& events) {
  std::vector<Event> found;
  for (const Event& event : events) {
    if (event.end_ns < window.first || event.start_ns > window.last) continue;
    found.push_back(event);
    found.back().start_ns = std::max(event.start_ns, window.first);
    found.back().end_ns = std::min(event.end_ns, window.last);
  }
  return found;
}

}  // namespace

Figure lanes_figure(const std::vector<TitledTrace>& traces, Page& page) {
  Figure figure;
  double longest = 0;
  for (const auto& item : traces) {
    const Window window = window_of(*item.trace);
    if (!window.empty())
      longest = std::max(longest, static_cast<double>(window.last - window.first));
  }
  const std::vector<std::pair<std::string, figure::Color>> kinds{
      {"ranges", {{}, 3}},
      {"calls", {figure::Color::Meaning::undecided}},
      {"copies", {{}, 1}},
      {"kernels", {{}, 0}}};
  for (const auto& item : traces) {
    const Window window = window_of(*item.trace);
    if (window.empty()) continue;
    figure::Panel panel{item.name};
    for (const auto& [kind, color] : kinds) {
      panel.series.push_back({kind, figure::Mark::spans, {}, color});
    }
    for (const Lane& lane : lanes_of(*item.trace)) {
      const auto row = static_cast<double>(panel.rows.size());
      bool any = false;
      for (auto& series : panel.series) {
        const auto found = lane.events.find(series.name);
        if (found == lane.events.end()) continue;
        const auto spans =
            spans_of(within(window, found->second), window.first, row, longest * resolution);
        series.points.insert(series.points.end(), spans.begin(), spans.end());
        any = any || !spans.empty();
      }
      if (any) panel.rows.push_back(lane.title);
    }
    figure.panels.push_back(std::move(panel));
  }
  if (figure.panels.empty()) return figure;
  figure.id = page.figure_id("timeline");
  figure.x = {"time", text::Unit::seconds, figure::Scale::linear, true};
  figure.title = "Timeline of " + text::format_time(longest * 1e-9);
  figure.description = "from the first operation of the device to the last";
  if (figure.panels.size() > 1) figure.description += ", all on one scale of time";
  return figure;
}

Figure profile_figure(const Result& result, const std::vector<CaseSummary>& summaries, Page& page) {
  Figure figure;
  std::size_t traced = 0;
  double most = 0;
  std::string what;
  const Cases cases = measured_cases(summaries);
  const auto labels = case_labels(result, cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CaseSummary* summary = cases[i];
    const Profile& profile = traced_profile(result, summary->info->index);
    double total = 0;
    double largest = 0;
    const auto count = [&](const Tally& time) {
      total += time.total_s;
      largest = std::max(largest, time.total_s);
    };
    for (const auto& kernel : profile.kernels) count(kernel.time);
    for (const auto& copy : profile.copies) count(copy.time);
    // Where one kernel is all there is, there is nothing to hold against each other.
    if (!(largest < nearly_all_of_it * total)) continue;
    if (++traced > most_profiles) continue;
    figure::Panel panel{labels[i]};
    panel.series = {{"kernels", figure::Mark::bars, {}, {{}, 0}},
                    {"copies", figure::Mark::bars, {}, {{}, 1}}};
    const auto add = [&](std::size_t kind, const std::string& name, const Tally& time) {
      if (panel.rows.size() >= most_parts) return;
      const double share = time.total_s / total;
      if (share > most) {
        what = fmt::format("{} takes {} with {}", name, text::format_share(share), labels[i]);
      }
      most = std::max(most, share);
      panel.series[kind].points.push_back(
          {share, static_cast<double>(panel.rows.size()), figure::no_value, figure::no_value,
           fmt::format("{}: {} in {}", name, text::format_time(time.total_s),
                       time.count == 1 ? "one" : fmt::format("{}", time.count)),
           page.anchor_of(*summary->info)});
      panel.rows.push_back(name);
    };
    for (const auto& kernel : profile.kernels) add(0, short_kernel_name(kernel.name), kernel.time);
    for (const auto& copy : profile.copies) add(1, copy.name, copy.time);
    figure.panels.push_back(std::move(panel));
  }
  if (figure.panels.empty()) return figure;
  figure.id = page.figure_id("profile");
  figure.x = {"share of the time of all kernels and copies", text::Unit::share,
              figure::Scale::linear, true};
  figure.title = "Of what ran on the device, " + what;
  if (traced > most_profiles) {
    figure.notes.push_back(fmt::format("the first {} of {} cases that ran more than one thing",
                                       most_profiles, traced));
  }
  return figure;
}

}  // namespace apod::report
