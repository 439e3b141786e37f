// The steps of a program, and what ran in them, as tables and a figure.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/base/library_kernels.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/step_text.hpp"

namespace apod::show {
namespace {

constexpr std::size_t longest_place = 24;

/// Where most of some kernels were launched: "backward", "'encoder'"; "several" of none of them.
std::string most_launched(const std::map<std::string, double>& places) {
  constexpr double most = 2.0 / 3;
  double all = 0;
  for (const auto& [place, seconds] : places) all += seconds;
  for (const auto& [place, seconds] : places) {
    if (seconds < most * all) continue;
    return text::shorten(text::printable(place.starts_with("in ") ? place.substr(3) : place),
                         longest_place);
  }
  return places.empty() ? "" : "several";
}

}  // namespace

Table devices_table(const std::vector<DeviceSteps>& devices, std::size_t most) {
  Table table{"",
              {{.name = "device"},
               {.name = "steps"},
               {.name = "median"},
               {.name = "kernels"},
               {.name = "communication alone"},
               {.name = "copies alone"},
               {.name = "idle"},
               {.name = "waits for a device that arrives later", .priority = 5}},
              {}};
  for (const auto& [device, steps] : devices) {
    const auto mean = steps.mean();
    table.rows.push_back({{{std::to_string(device)},
                           {std::to_string(steps.steady.size())},
                           {time(steps.median_s())},
                           {time(mean[StepPart::kernels])},
                           {time(mean[StepPart::communication])},
                           {time(mean[StepPart::copies])},
                           {time(mean.idle_s())},
                           {steps.skew_s > 0 ? time(steps.skew_s) : ""}}});
  }
  table.keep_first(most);
  return table;
}

List collectives_list(const std::vector<Collective>& collectives) {
  constexpr std::size_t most = 3;
  // Sizes that are rounded to the same text are told in full.
  const auto size_of = [&](const Collective& one) {
    const auto size = text::format_bytes(one.bytes);
    const bool same = std::ranges::any_of(collectives, [&](const Collective& other) {
      return other.name == one.name && other.bytes != one.bytes &&
             text::format_bytes(other.bytes) == size;
    });
    return same ? fmt::format("{:.0f} bytes", one.bytes) : size;
  };
  const auto groups_of = [&](const Collective& one) {
    const auto alike = std::ranges::count_if(collectives, [&](const Collective& other) {
      return other.name == one.name && other.bytes == one.bytes && other.ranks == one.ranks;
    });
    return alike > 1 ? fmt::format(", one of {} communicators", alike) : "";
  };
  List list;
  for (const auto& one : collectives) {
    if (list.items.size() == most) break;
    const double share = one.link_bytes_per_s > 0 ? one.bus_bytes_per_s / one.link_bytes_per_s : 0;
    list.items.push_back(
        {fmt::format("{} of {} on {} devices{}, {} times: {} bus bandwidth{}", one.name,
                     size_of(one), one.ranks, groups_of(one), one.time.count,
                     text::format_rate(one.bus_bytes_per_s, "B/s", text::in_prose),
                     share > 0 ? fmt::format(", {} of the measured rate of the slowest link",
                                             text::format_share(share))
                               : "")});
  }
  return list;
}

figure::Figure steps_figure(const Steps& steps, std::size_t most, Page& page) {
  figure::Figure figure;
  if (!steps.repeats() || steps.steady.size() < 2 || most == 0) return figure;
  figure::Panel panel;
  const auto mean = steps.mean();
  std::vector<std::size_t> parts;
  for (std::size_t i = 0; i < step_parts; ++i) {
    if (mean.s[i] < 0.005 * mean.total_s()) continue;
    const auto part = static_cast<StepPart>(i);
    const std::string name(to_string(part));
    panel.series.push_back(
        {name, figure::Mark::spans, {}, page.color_of(part == StepPart::copies ? "copies" : name)});
    parts.push_back(i);
  }
  const auto shown = std::min(most, steps.steady.size());
  const auto shorter = [](const Step* a, const Step* b) {
    return a->parts.total_s() < b->parts.total_s();
  };
  const Step* slowest = &steps.steady.front();
  for (const auto& step : steps.steady) slowest = std::max(slowest, &step, shorter);
  for (std::size_t row = 0; row < shown; ++row) {
    const auto from = steps.steady.begin() + row * steps.steady.size() / shown;
    const auto to = steps.steady.begin() + (row + 1) * steps.steady.size() / shown;
    std::vector<const Step*> few;
    for (auto one = from; one != to; ++one) few.push_back(&*one);
    const auto middle = few.begin() + static_cast<std::ptrdiff_t>(few.size() / 2);
    std::nth_element(few.begin(), middle, few.end(), shorter);
    const auto most_here = std::ranges::max_element(few, shorter);
    const auto& step = *most_here == slowest ? *slowest : **middle;
    double at = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double length = step.parts.s[parts[i]];
      if (!(length > 0)) continue;
      panel.series[i].points.push_back(
          {at, static_cast<double>(row), at, at + length,
           fmt::format("{}: {} {}", step.name, panel.series[i].name, time(length))});
      at += length;
    }
    panel.rows.push_back(step.name);
  }
  figure.id = page.figure_id("steps");
  figure.title = fmt::format("{} steps, and where the time of each goes", steps.steady.size());
  figure.x = {"time", text::Unit::seconds, figure::Scale::linear, true};
  if (shown < steps.steady.size()) {
    figure.notes.push_back(
        fmt::format("showing {} of {} steps: the middle step of each group of consecutive steps, "
                    "and the slowest step",
                    shown, steps.steady.size()));
  }
  figure.panels.push_back(std::move(panel));
  return figure;
}

Table step_table(const StepReport& report, std::size_t most) {
  struct Sum {
    Tally time;
    std::map<std::string, double> places;
  };
  struct Entry {
    std::string family;
    std::string name;
    Tally time;
    std::string launched;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums;
  const double all = report.profile.work_s();
  const auto sum_of = [&](const std::string& kernel) -> Sum& {
    return sums[{std::string(to_string(kernel_family(kernel))), short_kernel_name(kernel)}];
  };
  for (const auto& kernel : report.profile.kernels) sum_of(kernel.name).time.add(kernel.time);
  for (const auto& [kernel, places] : report.steps.launched) {
    auto& sum = sum_of(kernel).places;
    for (const auto& [place, seconds] : places) sum[place] += seconds;
  }
  for (const auto& copy : report.profile.copies) sums[{"copy", copy.name}].time.add(copy.time);
  std::vector<Entry> entries;
  for (auto& [key, sum] : sums) {
    if (!sum.time.empty())
      entries.push_back({key.first, key.second, sum.time, most_launched(sum.places)});
  }
  std::ranges::stable_sort(
      entries, [](const Entry& a, const Entry& b) { return a.time.total_s > b.time.total_s; });
  if (entries.size() > most) {
    Entry rest{"", fmt::format("{} others (--table summary)", entries.size() - most + 1), {}, ""};
    for (auto i = most - 1; i < entries.size(); ++i) rest.time.add(entries[i].time);
    entries.resize(most - 1);
    entries.push_back(std::move(rest));
  }
  const auto steps = std::max<std::size_t>(1, report.steps.steady.size());
  Table table{"",
              {{.name = "of device work"},
               {.name = report.steps.repeats() ? "time a step" : "time"},
               {.name = report.steps.repeats() ? "launches a step" : "launches"},
               {.name = "each", .priority = 5},
               {.name = "family", .align = Align::left},
               {.name = "kernel", .align = Align::left}},
              {}};
  const bool any_launched =
      std::ranges::any_of(entries, [](const Entry& one) { return !one.launched.empty(); });
  if (any_launched) {
    const Column launched{.name = "launched in", .align = Align::left, .priority = 10};
    table.columns.insert(table.columns.end() - 1, launched);
  }
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(text::printable(entry.name));
  names = text::shorten_apart(names, longest_told);
  auto name = names.begin();
  for (const auto& [family, whole, tally, launched] : entries) {
    const auto launches = static_cast<double>(tally.count) / static_cast<double>(steps);
    table.rows.push_back({{{text::format_share(all > 0 ? tally.total_s / all : 0)},
                           {time(tally.total_s / static_cast<double>(steps))},
                           {text::format_count(launches)},
                           {time(tally.mean_s())},
                           {family},
                           {std::move(*name++)}}});
    auto& cells = table.rows.back().cells;
    if (any_launched) cells.insert(cells.end() - 1, Cell{launched});
  }
  return table;
}

}  // namespace apod::show
