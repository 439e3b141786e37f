#include "benchmarks/show/case_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/text/closest.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/again.hpp"
#include "benchmarks/show/axis_text.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/figures.hpp"
#include "benchmarks/show/limit.hpp"

namespace apod::show {
namespace {

using Cases = std::vector<const CaseSummary*>;

Cell time_cell(const Estimate& time) {
  if (!(time.value > 0)) return {};
  return {text::format_time(time.value), Tone::plain, time.value};
}

/// The rate that `bound` is about; bytes where no peak is known.
Cell rate_of(const Throughput& throughput) {
  const bool computes =
      throughput.bound == "fp32" || throughput.bound == "fp64" || throughput.bytes_per_s <= 0;
  const double rate = computes ? throughput.flops_per_s : throughput.bytes_per_s;
  if (!(rate > 0)) return {};
  return {text::format_rate(rate, computes ? "FLOP/s" : "B/s"), Tone::plain, rate};
}

/// Marked without colour too: a share of more than the whole needs its note below.
Cell bound_of(const CaseSummary& summary) {
  const bool above = summary.throughput.above_peak;
  const std::string bound = above ? summary.throughput.bound + " !" : limit_of(summary).bound;
  return {bound, above ? Tone::warning : Tone::plain};
}

Cell share_of(const Throughput& throughput) {
  if (throughput.share <= 0) return {};
  return {text::format_percent(throughput.share),
          throughput.above_peak ? Tone::warning : Tone::plain, throughput.share};
}

Cell delta_of(const CaseSummary& summary, bool is_baseline) {
  if (!summary.delta) return {is_baseline ? "baseline" : "", Tone::dim};
  const Estimate& delta = *summary.delta;
  const std::string text = marked_change(delta);
  if (!delta.has_interval()) return {text, Tone::plain, delta.value};
  if (is_undecided(delta)) return {text, Tone::dim, delta.value};
  return {text, delta.high < 0 ? Tone::good : Tone::bad, delta.value};
}

std::string fact_of(const CaseSummary& summary, const std::string& name) {
  const auto found = summary.facts.find(name);
  return found == summary.facts.end() ? "" : fact_text(name, found->second);
}

/// The interquartile range of a process's samples, where there is no interval between processes.
std::string sample_spread_of(const CaseSummary& summary) {
  const bool alone = !summary.time_s.has_interval() && summary.sample_spread.has_value();
  return alone ? text::format_percent(*summary.sample_spread) : "";
}

/// Axes that all cases share, and those that tell them apart: the swept ones first.
struct Axes {
  std::vector<std::string> columns;
  std::vector<std::string> common;
};

std::vector<std::optional<AxisValue>> values_of(const Cases& cases, const std::string& axis) {
  std::vector<std::optional<AxisValue>> values;
  for (const CaseSummary* summary : cases) values.push_back(axis_of(*summary->info, axis));
  return values;
}

Axes axes_of(const Experiment& plan, const Cases& cases) {
  Axes axes;
  std::vector<std::string> names = plan.swept;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  add("variant");
  for (const CaseSummary* summary : cases) {
    for (const auto& entry : summary->info->params.entries()) add(entry.first);
  }
  for (const std::string& name : names) {
    const auto values = values_of(cases, name);
    const bool swept = std::find(plan.swept.begin(), plan.swept.end(), name) != plan.swept.end();
    const bool same = std::all_of(values.begin(), values.end(),
                                  [&](const auto& value) { return value == values.front(); });
    (same && !swept ? axes.common : axes.columns).push_back(name);
  }
  return axes;
}

/// A column of the table, and what it shows of each case.
struct Field {
  Column column;  ///< its id is the fact that it shows, where the title is another word
  std::function<Cell(const CaseSummary&)> cell;
};

/// The columns that a table of cases may have; those that no case has a value for are left out
/// later. `asked`: by name, rather than taken for want of names.
std::vector<Field> usual_fields(const std::vector<bool>& is_baseline, bool asked) {
  const auto fact = [](const char* name) {
    return [name](const CaseSummary& s) { return Cell{fact_of(s, name)}; };
  };
  // Beside a traced run's other facts only: the streams that were asked for say enough elsewhere.
  const auto traced = [asked](const char* name) {
    return [name, asked](const CaseSummary& s) {
      return Cell{asked || s.facts.contains("overlap") ? fact_of(s, name) : ""};
    };
  };
  return {
      {{.name = "time"}, [](const CaseSummary& s) { return time_cell(s.time_s); }},
      {{.name = "interval", .id = "precision", .priority = 50},
       [](const CaseSummary& s) { return Cell{interval_text(s.time_s)}; }},
      {{.name = "sample spread", .id = "sample_spread", .priority = 48},
       [asked](const CaseSummary& s) {
         return Cell{asked ? fact_of(s, "sample_spread") : sample_spread_of(s)};
       }},
      {{.name = "device time", .id = "device_time", .priority = 10},
       [](const CaseSummary& s) { return time_cell(s.device_time_s); }},
      {{.name = "rate", .priority = 20},
       [](const CaseSummary& s) { return rate_of(s.throughput); }},
      {{.name = "of peak", .id = "share_of_peak", .priority = 42},
       [](const CaseSummary& s) { return share_of(s.throughput); }},
      {{.name = "bound", .align = Align::left, .priority = 44},
       [](const CaseSummary& s) { return bound_of(s); }},
      {{.name = "of ceiling", .id = "share_of_ceiling", .priority = 43}, fact("share_of_ceiling")},
      {{.name = "used", .id = "distinct_streams", .priority = 12}, traced("distinct_streams")},
      {{.name = "overlap", .priority = 35}, fact("overlap")},
      {{.name = "occupied", .id = "occupancy", .priority = 30}, traced("occupancy")},
      {{.name = "delta", .priority = 90},
       [is_baseline](const CaseSummary& s) { return delta_of(s, is_baseline[s.info->index]); }},
  };
}

/// The columns that are asked for, without those that are axes.
std::vector<Field> chosen_fields(std::vector<Field> usual, const std::vector<std::string>& wanted,
                                 const Axes& axes) {
  if (wanted.empty()) return usual;
  std::vector<Field> chosen;
  for (const std::string& name : wanted) {
    if (contains(axes.columns, name) || contains(axes.common, name)) continue;
    const auto known = std::find_if(usual.begin(), usual.end(), [&](const Field& field) {
      return field.column.id_or_name() == name;
    });
    if (known != usual.end()) {
      chosen.push_back(*known);
      chosen.back().column.priority = Column::essential;
      continue;
    }
    chosen.push_back({{name}, [name](const CaseSummary& s) { return Cell{fact_of(s, name)}; }});
  }
  return chosen;
}

std::vector<Field> fields_of(const Cases& cases, const Axes& axes,
                             const std::vector<bool>& is_baseline,
                             const std::vector<std::string>& wanted) {
  std::vector<Field> fields;
  auto names = axes.columns;
  for (const auto& name : wanted) {
    if (contains(axes.common, name)) names.push_back(name);
  }
  for (const std::string& name : names) {
    const auto values = values_of(cases, name);
    const bool words = std::any_of(values.begin(), values.end(), [](const auto& value) {
      return value && std::holds_alternative<std::string>(*value);
    });
    std::map<const CaseSummary*, std::string> texts;
    const auto all = axis_texts(values);
    for (std::size_t i = 0; i < cases.size(); ++i) texts[cases[i]] = all[i];
    fields.push_back(
        {{.name = name, .align = words ? Align::left : Align::right, .key = true},
         [texts = std::move(texts)](const CaseSummary& s) { return Cell{texts.at(&s)}; }});
  }
  // Only measured cases have numbers.
  for (auto& field : chosen_fields(usual_fields(is_baseline, !wanted.empty()), wanted, axes)) {
    field.cell = [cell = std::move(field.cell)](const CaseSummary& s) {
      return s.status == CaseStatus::measured ? cell(s) : Cell{};
    };
    fields.push_back(std::move(field));
  }
  fields.push_back(
      {{.name = "status", .align = Align::left, .priority = 95}, [](const CaseSummary& s) {
         if (s.status == CaseStatus::measured) return Cell{};
         return Cell{std::string(to_string(s.status)), Tone::bad};
       }});
  return fields;
}

/// How the cases were really launched: a mode that is not possible gives way to a simpler one.
std::string launch_of(const Result& result, const Cases& cases, LaunchMode asked) {
  std::set<std::size_t> indices;
  for (const CaseSummary* summary : cases) indices.insert(summary->info->index);
  std::set<std::string> used;
  for (const Measurement& measurement : result.measurements) {
    if (indices.contains(measurement.case_index) && !measurement.launch.empty()) {
      used.insert(measurement.launch);
    }
  }
  const std::string wanted(to_string(asked));
  if (used.empty() || (used.size() == 1 && *used.begin() == wanted)) return wanted + " launch";
  std::string all;
  for (const std::string& launch : used) all += (all.empty() ? "" : " or ") + launch;
  return all + " launch (" + wanted + " was asked for)";
}

/// "3 to 6 processes": how many measured the cases, or were to where none did.
std::string processes_of(const Cases& measured, const MeasureSpec& asked) {
  const auto [fewest, most] =
      std::minmax_element(measured.begin(), measured.end(),
                          [](const auto* a, const auto* b) { return a->processes < b->processes; });
  const int low = measured.empty() ? asked.processes : (*fewest)->processes;
  const int high = measured.empty() ? asked.processes : (*most)->processes;
  const auto number = low == high ? std::to_string(low) : fmt::format("{} to {}", low, high);
  return number + (high == 1 ? " process" : " processes");
}

/// What the columns beside the time tell of: one process can't tell how far processes differ.
std::string interval_of(const Cases& cases) {
  const auto has = [](const CaseSummary* summary) { return summary->time_s.has_interval(); };
  if (std::all_of(cases.begin(), cases.end(), has)) return "95 % intervals between processes";
  if (std::none_of(cases.begin(), cases.end(), has)) {
    return "no interval between processes (no case has three)";
  }
  return "95 % intervals between processes where three or more measured";
}

std::string method_of(const Result& result, const Experiment& plan, const Cases& cases) {
  const MeasureSpec& measure = plan.measure;
  Cases measured;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(measured),
               [](const auto* summary) { return summary->status == CaseStatus::measured; });
  if (plan.command) {
    return fmt::format(
        "{}, {}, {}{}", plan.workload,
        plan.command->reads == Reads::process
            ? "time of the process"
            : fmt::format("read from its output ({})", to_string(plan.command->reads)),
        processes_of(measured, measure), measured.empty() ? "" : ", " + interval_of(measured));
  }
  std::string text = fmt::format("{}, {} scope", plan.workload, to_string(plan.scope));
  if (plan.scope == Scope::kernel) {
    text += fmt::format(", {} cache, {}", to_string(measure.cache),
                        launch_of(result, measured, measure.launch));
  }
  if (result.environment.device.backend == BackendKind::cuda &&
      measure.clocks != ClockMode::unheld) {
    text += fmt::format(", {} clocks", to_string(measure.clocks));
  }
  text += fmt::format(", data {}, {}", to_string(plan.data), processes_of(measured, measure));
  return measured.empty() ? text : text + ", " + interval_of(measured);
}

}  // namespace

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> named_columns(const Plan& plan, const std::vector<std::string>& columns) {
  auto titles = csv_titles();
  for (const Field& field : usual_fields({}, true)) {
    titles.emplace(field.column.name, field.column.id_or_name());
  }
  std::vector<std::string> names;
  for (const auto& entry : titles) names.push_back(entry.first);
  for (const FactInfo& fact : known_facts()) names.emplace_back(fact.name);
  names.emplace_back("variant");
  for (const Case& c : plan.cases) {
    for (const auto& entry : c.params.entries()) names.push_back(entry.first);
  }
  std::vector<std::string> found;
  for (const std::string& name : columns) {
    const auto title = titles.find(name);
    found.push_back(title == titles.end() ? name : title->second);
    if (contains(names, name)) continue;
    const auto near = text::closest(name, names);
    throw std::invalid_argument(
        "--columns: '" + name +
        "' is neither an axis, a fact nor the title of a column of this result (" +
        (near.empty() ? "bench --list names the facts" : "did you mean '" + near + "'?") + ")");
  }
  return found;
}

ExperimentView view_of(const Result& result, std::size_t experiment,
                       const std::vector<CaseSummary>& summaries,
                       const std::vector<std::string>& wanted) {
  const Experiment& plan = result.plan.experiments.at(experiment);
  ExperimentView view;
  std::vector<bool> is_baseline(summaries.size(), false);
  Cases cases;
  for (const CaseSummary& summary : summaries) {
    if (summary.info->experiment != experiment) continue;
    if (summary.info->baseline) is_baseline.at(*summary.info->baseline) = true;
    // Skipped cases and those that never ran have no numbers: they are grouped below the tables.
    const bool has_row =
        summary.status == CaseStatus::measured || summary.status == CaseStatus::failed;
    if (has_row) cases.push_back(&summary);
  }
  view.method = method_of(result, plan, cases);
  if (cases.empty()) return view;
  const Axes axes = axes_of(plan, cases);
  for (const std::string& name : axes.common) {
    const auto value = axis_of(*cases.front()->info, name);
    if (!value || goes_without_saying(name, *value)) continue;
    view.common += (view.common.empty() ? "" : ", ") + name + " " + axis_texts({value}).front();
  }
  const std::vector<Field> fields = fields_of(cases, axes, is_baseline, wanted);
  for (const Field& field : fields) view.table.columns.push_back(field.column);
  for (const CaseSummary* summary : cases) {
    auto& row = view.table.rows.emplace_back();
    for (const Field& field : fields) row.cells.push_back(field.cell(*summary));
    row.anchor = anchor_of(*summary->info);
    row.command = again(result, *summary->info);
  }
  return view;
}

}  // namespace apod::show
