#include "benchmarks/show/export/profile_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace apod::exports {
namespace {

using show::Align;
using show::Cell;
using show::Column;
using show::Table;
using show::Tone;

/// Rows of one heading; its shares are of their sum.
struct Group {
  std::string type;
  std::vector<NamedTime> rows;

  void add(const std::string& name, const Tally& time) {
    if (!time.empty()) add_time(rows, name, time);
  }
};

std::vector<Group> summary_of(const Profile& profile) {
  Group activities{"GPU activities", {}};
  for (const auto& kernel : profile.kernels) activities.add(kernel.name, kernel.time);
  for (const auto& copy : profile.copies) {
    activities.add(copy.name == "memset" ? "[CUDA memset]" : "[CUDA memcpy " + copy.name + "]",
                   copy.time);
  }
  Group calls{"API calls", {}};
  for (const auto& call : profile.calls) calls.add(call.name, call.time);
  return {std::move(activities), std::move(calls)};
}

/// With all digits of the time in ns: totals are compared with those of other tools.
Cell time_cell(double seconds) {
  const double ns = std::clamp(seconds, 0.0, 1e9) * 1e9;
  return {format_nvprof_time(seconds), Tone::plain, std::round(ns)};
}

/// The rows of the groups, those that took longest first. `name` is the title of the last column,
/// `calls` that of the one that counts.
Table table_of(std::vector<Group> groups, const char* total, const char* calls, const char* name) {
  Table table;
  const auto times = [](const char* title, int priority = Column::essential) {
    return Column{.name = title, .id = std::string(title) + "(ns)", .priority = priority};
  };
  const bool typed = groups.size() > 1;
  if (typed) table.columns.push_back({.name = "Type", .align = Align::left});
  for (auto& column : std::vector<Column>{
           {"Time(%)"}, times(total), {calls}, times("Avg", 3), times("Min", 1), times("Max", 2)}) {
    table.columns.push_back(std::move(column));
  }
  table.columns.push_back({.name = name, .align = Align::left, .key = true});
  for (auto& group : groups) {
    double sum = 0;
    for (const auto& row : group.rows) sum += row.time.total_s;
    std::stable_sort(group.rows.begin(), group.rows.end(),
                     [](const auto& a, const auto& b) { return a.time.total_s > b.time.total_s; });
    for (const auto& [row_name, time] : group.rows) {
      const double percent = sum > 0 ? time.total_s / sum * 100 : 0;
      auto& cells = table.rows.emplace_back().cells;
      if (typed) cells.push_back({group.type});
      cells.push_back({fmt::format("{:.2f}%", percent), Tone::plain, percent});
      cells.push_back(time_cell(time.total_s));
      cells.push_back({std::to_string(time.count)});
      cells.push_back({format_nvprof_time(time.mean_s()), Tone::plain, time.mean_s() * 1e9});
      cells.push_back(time_cell(time.min_s));
      cells.push_back(time_cell(time.max_s));
      cells.push_back({row_name});
    }
  }
  return table;
}

}  // namespace

std::string format_nvprof_time(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  const double ns = seconds * 1e9;
  if (std::abs(ns) < 1000) return fmt::format("{:.0f}ns", ns);
  static constexpr std::array<std::pair<double, const char*>, 3> units{
      {{1e-6, "us"}, {1e-3, "ms"}, {1, "s"}}};
  // 999.996 us would be shown as 1000.0us: that belongs to the next unit.
  std::size_t unit = 0;
  while (unit + 1 < units.size() && std::abs(seconds) >= 0.999995 * units[unit + 1].first) ++unit;
  const double shown = seconds / units[unit].first;
  int decimals = 4;
  for (double limit = 10; decimals > 0 && std::abs(shown) >= limit * 0.999995; limit *= 10) {
    --decimals;
  }
  return fmt::format("{:.{}f}{}", shown, decimals, units[unit].second);
}

Table summary_table(const Profile& profile) {
  return table_of(summary_of(profile), "Time", "Calls", "Name");
}

Table calls_table(const Profile& profile, std::size_t most) {
  constexpr double least = 0.001;  // of the time of all calls
  Group calls;
  for (const auto& call : profile.calls) calls.add(call.name, call.time);
  std::stable_sort(calls.rows.begin(), calls.rows.end(),
                   [](const auto& a, const auto& b) { return a.time.total_s > b.time.total_s; });
  double all = 0;
  for (const auto& row : calls.rows) all += row.time.total_s;
  Group shown;
  NamedTime rest;
  std::size_t others = 0;
  for (auto& row : calls.rows) {
    if (shown.rows.size() + 1 < most && row.time.total_s >= least * all) {
      shown.rows.push_back(std::move(row));
      continue;
    }
    rest.time.add(row.time);
    ++others;
  }
  if (others > 0) {
    shown.add(fmt::format("{} others (--table summary)", others), rest.time);
  }
  return table_of({std::move(shown)}, "Time", "Calls", "Name");
}

Table ranges_table(const Profile& profile) {
  Group ranges;
  for (const auto& range : profile.ranges) {
    if (range.time.max_s <= 0) continue;  // a mark
    ranges.add(range.domain.empty() ? range.name : range.domain + ":" + range.name, range.time);
  }
  return table_of({std::move(ranges)}, "Total", "Instances", "Range");
}

}  // namespace apod::exports
