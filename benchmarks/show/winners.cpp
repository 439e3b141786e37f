#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/curve_axes.hpp"
#include "benchmarks/show/document.hpp"
#include "benchmarks/show/estimate_text.hpp"

namespace apod::show {
namespace {

constexpr std::size_t most_columns = 6;

/// "single_pass, 4.888 us, -29.9 % ±0.5".
Cell cell_of(const CaseSummary& summary, const std::string& name) {
  std::string text = name + ", " + text::format_time(summary.time().value);
  const auto* delta = summary.fact("delta");
  if (delta != nullptr) text += ", " + marked_change(*delta);
  const bool undecided = delta != nullptr && is_undecided(*delta);
  return {std::move(text), undecided ? Tone::dim : Tone::plain};
}

}  // namespace

Table winners_table(const Result& result, const Cases& cases, const CurveChoice& choice) {
  Table table;
  const CurveAxes axes = curve_axes(result, cases, choice);
  if (!axes.x || axes.by.empty() || !are_rivals(result, cases, axes)) return table;
  const auto best = fastest_at(cases, axes);
  std::map<double, std::string> names;
  std::set<std::string> panels;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!axes.x->values[i]) continue;
    names[axes.x->number(i)] = axes.x->texts[i];
    panels.insert(name_by(axes.facet, i));
  }
  if (panels.size() > most_columns) return table;
  std::set<std::string> baselines;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool is_base = std::ranges::any_of(cases, [&](const CaseSummary* summary) {
      return summary->info->baseline == cases[i]->info->index;
    });
    if (is_base) baselines.insert(name_by(axes.by, i));
  }
  table.caption = fmt::format(
      "the fastest case at each value of {}, and its change against {} (~ before a name: another "
      "case may be as fast)",
      axes.x->name, baselines.size() == 1 ? *baselines.begin() : "the baseline");
  table.columns = {{.name = axes.x->name, .key = true}};
  for (const auto& panel : panels)
    table.columns.push_back({.name = panel.empty() ? "fastest" : panel, .align = Align::left});
  for (const auto& [x, row] : best) {
    auto& cells = table.rows.emplace_back().cells;
    cells.push_back({names[x], Tone::plain, x});
    for (const auto& panel : panels) {
      const auto found = row.find(panel);
      cells.push_back(
          found == row.end()
              ? Cell{}
              : cell_of(*cases[found->second],
                        (as_fast_as(cases, axes, found->second).size() == 1 ? "" : "~") +
                            name_by(axes.by, found->second)));
    }
  }
  return table;
}

}  // namespace apod::show
