#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/curve_axes.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {
namespace {

using figure::Figure;

constexpr std::size_t most_parts = 6;  ///< of a traced case
constexpr double nearly_all_of_it = 0.99;
constexpr std::size_t most_profiles = 8;  ///< whose profiles are drawn
constexpr std::size_t most_timelines = 6;
constexpr std::size_t longest_in_title = 60;  ///< in a title
/// Spans of all timelines of a page, so that it stays small.
constexpr std::size_t most_drawn = 300;
/// Spans that are closer than this part of the whole time are drawn as one; of the second where
/// there would be too many.
constexpr double resolution = 1.0 / 1200;
constexpr double coarsest = 1.0 / 150;

std::int64_t end_of(const std::vector<Lane>& lanes) {
  std::int64_t end = 0;
  for (const auto& lane : lanes) {
    for (std::size_t i = 0; i < lane.size(); ++i)
      end = std::max(end, lane.start_ns[i] + lane.length_ns[i]);
  }
  return end;
}

std::vector<figure::Point> spans_of(const Lane& lane, double row) {
  std::vector<figure::Point> spans;
  for (std::size_t i = 0; i < lane.size(); ++i) {
    const double low = static_cast<double>(lane.start_ns[i]) * 1e-9;
    const double high = low + static_cast<double>(lane.length_ns[i]) * 1e-9;
    const std::string& name = lane.names.at(lane.of[i]);
    const std::string what =
        lane.count[i] == 1 ? name : fmt::format("{} {}, first: {}", lane.count[i], lane.what, name);
    const double busy = high > low ? static_cast<double>(lane.busy(i)) * 1e-9 / (high - low) : 1;
    figure::Point span{low, row, low, high,
                       fmt::format("{}: {} from {}", what, text::format_time(high - low, {3}),
                                   text::format_time(low, {3}))};
    if (busy < 1) span.text += ", busy for " + text::format_share(busy);
    span.cut_low = lane.before(i) > 0;
    span.cut_high = lane.after(i) > 0;
    if (span.cut_low || span.cut_high) {
      const auto whole = lane.before(i) + lane.length_ns[i] + lane.after(i);
      span.text += ", " + text::format_time(static_cast<double>(whole) * 1e-9, {3}) + " in all";
    }
    span.filled = busy;
    spans.push_back(std::move(span));
  }
  return spans;
}

/// What each kind of operation looks like: on a page a colour has one meaning.
std::vector<figure::Series> kinds_of_spans(Page& page) {
  const auto of = [](const char* name, figure::Color color) {
    return figure::Series{name, figure::Mark::spans, {}, color};
  };
  const auto kernels = page.color_of("kernels");
  const auto copies = page.color_of("copies");
  const auto recorder = page.color_of("recorder");
  return {of("ranges", page.color_of("ranges")), of("calls", {figure::Color::Meaning::undecided}),
          of("recorder", recorder), of("copies", copies), of("kernels", kernels)};
}

/// Without what ran beside the program and held nothing up.
Lane without_flushes(Lane lane) {
  if (lane.what != "recorder") return lane;
  Lane kept = lane;
  kept.of.clear();
  kept.start_ns.clear();
  kept.length_ns.clear();
  kept.count.clear();
  kept.busy_ns.clear();
  for (std::size_t i = 0; i < lane.size(); ++i) {
    if (lane.names.at(lane.of[i]) == "buffer flush") continue;
    kept.of.push_back(lane.of[i]);
    kept.start_ns.push_back(lane.start_ns[i]);
    kept.length_ns.push_back(lane.length_ns[i]);
    kept.count.push_back(lane.count[i]);
    if (!lane.busy_ns.empty()) kept.busy_ns.push_back(lane.busy_ns[i]);
  }
  return kept;
}

/// Lanes of one name share a row. Returns the number of spans.
std::size_t fill(figure::Panel& panel, const std::vector<Lane>& lanes, double gap_ns) {
  std::size_t drawn = 0;
  for (const Lane& all : lanes) {
    const Lane whole = without_flushes(all);
    const auto series =
        std::ranges::find_if(panel.series, [&](const auto& s) { return s.name == whole.what; });
    if (series == panel.series.end() || whole.size() == 0) continue;
    if (panel.rows.empty() || panel.rows.back() != whole.name) panel.rows.push_back(whole.name);
    const auto spans = spans_of(whole.joined(gap_ns), static_cast<double>(panel.rows.size() - 1));
    series->points.insert(series->points.end(), spans.begin(), spans.end());
    drawn += spans.size();
  }
  return drawn;
}

/// Whether there is more to see than that the device did one thing.
bool has_order(const std::vector<Lane>& lanes) {
  std::uint64_t operations = 0;
  for (const auto& lane : lanes) {
    if (lane.what != "kernels" && lane.what != "copies") continue;
    for (const auto count : lane.count) operations += static_cast<std::uint64_t>(count);
  }
  return operations > 1;
}

/// From the first operation of the device to the end of the last; of all there is without any.
std::int64_t device_span(const std::vector<Lane>& lanes) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = 0;
  for (const auto& lane : lanes) {
    if (lane.what != "kernels" && lane.what != "copies") continue;
    for (std::size_t i = 0; i < lane.size(); ++i) {
      first = std::min<std::int64_t>(first, lane.start_ns[i]);
      last = std::max<std::int64_t>(last, lane.start_ns[i] + lane.length_ns[i]);
    }
  }
  return last > 0 ? last - first : end_of(lanes);
}

/// The message: how long one takes, or which of several is done first, and which last.
std::string title_of(const std::vector<TitledLanes>& timelines) {
  const auto time_of = [](const TitledLanes& item) {
    if (item.length_s > 0) return text::format_time(item.length_s);
    return text::format_time(static_cast<double>(device_span(*item.lanes)) * 1e-9);
  };
  if (timelines.size() == 1) return "Timeline of " + time_of(timelines.front());
  const auto [first, last] =
      std::ranges::minmax_element(timelines, [](const TitledLanes& a, const TitledLanes& b) {
        return device_span(*a.lanes) < device_span(*b.lanes);
      });
  const auto names = text::shorten_apart(
      {text::printable(first->name), text::printable(last->name)}, longest_in_title);
  return fmt::format("Timelines: {} finishes first, after {}; {} last, after {}", names[0],
                     time_of(*first), names[1], time_of(*last));
}

double largest_gain(const CaseSummary& summary) {
  double most = 0;
  for (const auto& finding : summary.findings) most = std::max(most, finding.gain);
  return most;
}

}  // namespace

Figure lanes_figure(const std::vector<TitledLanes>& timelines, Page& page) {
  Figure figure;
  std::int64_t longest = 0;
  for (const auto& item : timelines) longest = std::max(longest, end_of(*item.lanes));
  if (longest == 0) return figure;
  std::vector<TitledLanes> drawn;
  bool too_many = true;
  for (double part = resolution; too_many && part <= coarsest; part *= 2) {
    std::size_t spans = 0;
    too_many = false;
    drawn.clear();
    figure.panels.clear();
    for (const auto& item : timelines) {
      if (drawn.size() == most_timelines) break;
      figure::Panel panel{item.name, kinds_of_spans(page)};
      spans += fill(panel, *item.lanes, static_cast<double>(longest) * part);
      too_many = too_many || (spans > most_drawn && !drawn.empty());
      if (too_many) break;
      if (panel.rows.empty()) continue;
      figure.panels.push_back(std::move(panel));
      drawn.push_back(item);
    }
  }
  if (drawn.empty()) return figure;
  figure.id = page.figure_id("timeline");
  figure.x = {"time", text::Unit::seconds, figure::Scale::linear, true};
  figure.title = title_of(drawn);
  const bool is_step = drawn.front().length_s > 0;
  if (is_step) figure.x.also = {0, drawn.front().length_s};
  figure.description = is_step ? "a traced step, from its start to the start of the next step"
                               : "a traced run, from shortly before the first device operation to "
                                 "shortly after the last";
  figure.description +=
      "; if a bar shows many operations, its height is the share of time in which they ran";
  if (figure.panels.size() > 1) figure.description += "; all have the same time scale";
  if (drawn.size() < timelines.size()) {
    figure.notes.push_back(fmt::format("{} of {} timelines (to choose others: --filter)",
                                       drawn.size(), timelines.size()));
  }
  return figure;
}

Figure lanes_figure(const Result& result, const std::vector<CaseSummary>& summaries, Page& page) {
  const Cases cases = measured_cases(summaries);
  const auto labels = case_labels(result, cases);
  std::vector<std::size_t> traced;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (has_order(cases[i]->profile->lanes)) traced.push_back(i);
  }
  // Not all may fit: the cases with the costliest findings do, in the order of the plan.
  std::ranges::stable_sort(traced, [&](std::size_t a, std::size_t b) {
    return largest_gain(*cases[a]) > largest_gain(*cases[b]);
  });
  std::sort(traced.begin(), traced.begin() + std::min(traced.size(), most_timelines));
  std::vector<TitledLanes> timelines;
  for (const auto i : traced) timelines.push_back({labels[i], &cases[i]->profile->lanes});
  return lanes_figure(timelines, page);
}

Figure profile_figure(const std::vector<TitledProfile>& profiles, Page& page) {
  Figure figure;
  std::size_t traced = 0;
  double most = 0;
  std::string what;
  for (const auto& item : profiles) {
    const Profile& profile = *item.profile;
    struct Part {
      std::size_t series;
      std::string name;
      Tally time;
    };
    std::vector<Part> parts;  // a kernel is one, whatever its grids
    const auto take = [&](std::size_t series, const std::string& name, const Tally& time) {
      auto known = std::ranges::find_if(
          parts, [&](const Part& part) { return part.series == series && part.name == name; });
      if (known == parts.end()) known = parts.insert(known, {series, name, {}});
      known->time.add(time);
    };
    for (const auto& kernel : profile.kernels) take(0, short_kernel_name(kernel.name), kernel.time);
    for (const auto& copy : profile.copies) take(1, copy.name, copy.time);
    std::ranges::stable_sort(
        parts, [](const Part& a, const Part& b) { return a.time.total_s > b.time.total_s; });
    const double total = profile.work_s();
    // Where one of them is all there is, there is nothing to hold against each other.
    if (parts.empty() || !(parts.front().time.total_s < nearly_all_of_it * total)) continue;
    if (++traced > most_profiles) continue;
    const double share = parts.front().time.total_s / total;
    if (share > most) {
      most = share;
      what = fmt::format("{} takes {}", text::shorten(parts.front().name, longest_in_title),
                         text::format_share(share));
      if (!item.name.empty()) what += " with " + item.name;
    }
    figure::Panel panel{item.name};
    const auto kernels = page.color_of("kernels");
    panel.series = {{"kernels", figure::Mark::bars, {}, kernels},
                    {"copies", figure::Mark::bars, {}, page.color_of("copies")}};
    parts.resize(std::min(parts.size(), most_parts));
    for (const auto& [series, name, time] : parts) {
      panel.series[series].points.push_back(
          {time.total_s / total, static_cast<double>(panel.rows.size()), figure::no_value,
           figure::no_value,
           fmt::format("{}: {} (count: {})", name, text::format_time(time.total_s), time.count),
           item.about});
      panel.rows.push_back(name);
    }
    figure.panels.push_back(std::move(panel));
  }
  if (figure.panels.empty()) return figure;
  figure.id = page.figure_id("profile");
  figure.x = {"share of device work (all kernels and copies)", text::Unit::share,
              figure::Scale::linear, true};
  figure.title = "Of all device work, " + what;
  if (traced > most_profiles) {
    figure.notes.push_back(fmt::format(
        "the first {} of the {} cases that have more than one operation", most_profiles, traced));
  }
  return figure;
}

Figure profile_figure(const Result& result, const std::vector<CaseSummary>& summaries, Page& page) {
  const Cases cases = measured_cases(summaries);
  const auto labels = case_labels(result, cases);
  std::vector<TitledProfile> profiles;
  for (std::size_t i = 0; i < cases.size(); ++i)
    profiles.push_back({labels[i], cases[i]->profile, anchor_of(*cases[i]->info)});
  return profile_figure(profiles, page);
}

}  // namespace apod::show
