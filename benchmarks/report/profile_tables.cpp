#include "benchmarks/report/profile_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <utility>
#include <vector>

#include "benchmarks/model/kernel_name.hpp"
#include "benchmarks/report/csv_row.hpp"
#include "benchmarks/report/kernel_table.hpp"
#include "benchmarks/report/table.hpp"
#include "benchmarks/text/plain.hpp"

namespace apod::report {
namespace {

/// Rows of one heading; its shares are of their sum.
struct Group {
  std::string type;
  std::vector<std::pair<std::string, Tally>> rows;

  void add(const std::string& name, const Tally& time) {
    if (time.count == 0) return;
    const auto same =
        std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.first == name; });
    if (same == rows.end()) {
      rows.emplace_back(name, time);
      return;
    }
    Tally& sum = same->second;
    sum.count += time.count;
    sum.total_s += time.total_s;
    sum.min_s = std::min(sum.min_s, time.min_s);
    sum.max_s = std::max(sum.max_s, time.max_s);
  }
  void sort() {
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a.second.total_s > b.second.total_s;
    });
  }
  double total_s() const {
    double total = 0;
    for (const auto& row : rows) total += row.second.total_s;
    return total;
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
  activities.sort();
  calls.sort();
  return {std::move(activities), std::move(calls)};
}

Group ranges_of(const Profile& profile) {
  Group ranges{"NVTX ranges", {}};
  for (const auto& range : profile.ranges) {
    if (range.time.max_s <= 0) continue;  // a mark
    ranges.add(range.domain.empty() ? range.name : range.domain + ":" + range.name, range.time);
  }
  ranges.sort();
  return ranges;
}

double average_seconds(const Tally& time) {
  return time.total_s / static_cast<double>(time.count);
}

double percent(double part, double all) {
  return all > 0 ? part / all * 100 : 0;
}

void add_rows(const Group& group, bool with_type, Table& table) {
  const double total = group.total_s();
  for (const auto& [name, time] : group.rows) {
    std::vector<Cell> row;
    if (with_type) row.push_back({&name == &group.rows.front().first ? group.type + ":" : ""});
    row.push_back({fmt::format("{:.2f}%", percent(time.total_s, total))});
    row.push_back({format_nvprof_time(time.total_s)});
    row.push_back({std::to_string(time.count)});
    row.push_back({format_nvprof_time(average_seconds(time))});
    row.push_back({format_nvprof_time(time.min_s)});
    row.push_back({format_nvprof_time(time.max_s)});
    row.push_back({text::printable(name)});
    table.rows.push_back(std::move(row));
  }
}

/// Takes from names that are too wide, in the last column, what says least: parameters, then
/// template arguments.
void shorten_names(Table& table, const ConsoleStyle& style) {
  Table rest = table;
  for (auto& row : rest.rows) row.back().text.clear();
  constexpr std::size_t least = 32;  // below that columns are left out instead
  const auto width = static_cast<std::size_t>(std::max(style.width, 1));
  // The title of the column is no wider than `least`.
  const auto taken = width_of(rest) - text::display_width(table.columns.back().title);
  const auto room = std::max(least, width - std::min(width, taken));
  for (auto& row : table.rows) {
    auto& name = row.back().text;
    if (text::display_width(name) > room) name = without_parameters(name);
    if (text::display_width(name) > room) name = short_kernel_name(name);
  }
}

void add_titles(std::ostream& out, const std::vector<std::string>& titles) {
  CsvRow row(out);
  for (const auto& title : titles) row.add(title);
}

/// All digits of a time in ns: totals are compared with those of other tools.
std::size_t whole_ns(double seconds) {
  return static_cast<std::size_t>(std::llround(std::clamp(seconds, 0.0, 1e9) * 1e9));
}

void add_csv(std::ostream& out, const Group& group, bool with_type) {
  const double total = group.total_s();
  for (const auto& [name, time] : group.rows) {
    CsvRow row(out);
    if (with_type) row.add(group.type);
    row.add(percent(time.total_s, total));
    row.add(whole_ns(time.total_s));
    row.add(static_cast<std::size_t>(time.count));
    row.add(average_seconds(time) * 1e9);
    row.add(whole_ns(time.min_s));
    row.add(whole_ns(time.max_s));
    row.add(name);
  }
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

void write_summary(std::ostream& out, const Profile& profile, const ConsoleStyle& style) {
  Table table;
  table.columns = {{"Type", false},  {"Time(%)"},      {"Time"},         {"Calls"},
                   {"Avg", true, 3}, {"Min", true, 1}, {"Max", true, 2}, {"Name", false}};
  for (const auto& group : summary_of(profile)) add_rows(group, true, table);
  if (table.rows.empty()) {
    out << "  no GPU activities and no API calls were recorded\n";
    return;
  }
  shorten_names(table, style);
  print(out, std::move(table), style);
}

void write_summary_csv(std::ostream& out, const Profile& profile) {
  add_titles(out,
             {"Type", "Time(%)", "Time(ns)", "Calls", "Avg(ns)", "Min(ns)", "Max(ns)", "Name"});
  for (const auto& group : summary_of(profile)) add_csv(out, group, true);
}

void write_ranges(std::ostream& out, const Profile& profile, const ConsoleStyle& style) {
  const auto ranges = ranges_of(profile);
  if (ranges.rows.empty()) {
    out << "  no ranges were recorded\n";
    return;
  }
  Table table;
  table.columns = {{"Time(%)"},      {"Total"},        {"Instances"},   {"Avg", true, 3},
                   {"Min", true, 1}, {"Max", true, 2}, {"Range", false}};
  add_rows(ranges, false, table);
  print(out, std::move(table), style);
}

void write_ranges_csv(std::ostream& out, const Profile& profile) {
  add_titles(out, {"Time(%)", "Total(ns)", "Instances", "Avg(ns)", "Min(ns)", "Max(ns)", "Range"});
  add_csv(out, ranges_of(profile), false);
}

}  // namespace apod::report
