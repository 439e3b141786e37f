#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/command.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/below_tables.hpp"
#include "benchmarks/show/case_columns.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/explanation.hpp"

namespace apod::show {
namespace {

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
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  add("variant");
  for (const CaseSummary* summary : cases) {
    for (const auto& entry : summary->info->params.entries()) add(entry.first);
  }
  for (const std::string& name : names) {
    const auto values = values_of(cases, name);
    const bool swept = std::ranges::find(plan.swept, name) != plan.swept.end();
    const bool same =
        std::ranges::all_of(values, [&](const auto& value) { return value == values.front(); });
    std::set<std::optional<AxisValue>> different(values.begin(), values.end());
    const bool is_of_some = different.erase(std::nullopt) > 0;
    if (!swept && is_of_some && different.size() == 1)
      continue;  // one variant's own, at its default
    (same && !swept ? axes.common : axes.columns).push_back(name);
  }
  return axes;
}

/// A column of the table, and what it shows of each case.
struct Field {
  Column column;  ///< its id is the fact that it shows, where the title is another word
  std::function<Cell(const CaseSummary&)> cell;
};

Field field_of(const CaseColumn& column, const std::vector<bool>& is_baseline, bool asked) {
  Field field{{.name = column.title.empty() ? column.fact : column.title,
               .id = column.fact,
               .align = column.align,
               .priority = asked ? Column::essential : column.priority},
              {}};
  field.cell = [&column, &is_baseline, asked](const CaseSummary& s) {
    if (column.shown != nullptr)
      return column.shown(s, column.fact, {is_baseline[s.info->index], asked});
    return column.written != nullptr ? column.written(s) : fact_cell(s, column.fact);
  };
  return field;
}

/// A number that a program has a name of its own for, in its unit.
Field figure_field(const std::string& name, Unit unit, int priority) {
  return {{.name = name, .priority = priority}, [name, unit](const CaseSummary& s) {
            const auto value = s.number(name);
            if (!value) return Cell{};
            return Cell{text::format_quantity(*value, unit), Tone::plain, *value};
          }};
}

/// The columns that a table of cases has beside its axes: those that are asked for, or the usual
/// ones, which in another program's file are its own numbers too. Those that no case has a value
/// for are left out later.
std::vector<Field> chosen_fields(const std::vector<std::string>& wanted, const Axes& axes,
                                 const std::vector<bool>& is_baseline,
                                 const std::optional<CommandSpec>& command, bool is_foreign,
                                 Audience audience) {
  std::vector<Field> fields;
  for (const CaseColumn& column : case_columns()) {
    const bool usual = wanted.empty() && !column.title.empty();
    if (usual && column.fact != "status") fields.push_back(field_of(column, is_baseline, false));
  }
  for (const std::string& name : wanted) {
    if (contains(axes.columns, name) || contains(axes.common, name) || name == "status") continue;
    if (const auto* column = find_column(name)) {
      fields.push_back(field_of(*column, is_baseline, true));
    } else if (const auto unit = unit_of_figure(command, name)) {
      fields.push_back(figure_field(name, *unit, Column::essential));
    } else {
      fields.push_back({{name}, [name](const CaseSummary& s) { return fact_cell(s, name); }});
    }
  }
  if (wanted.empty() && is_foreign && command) {
    int priority = 40;  // the later ones give way first
    for (const auto& figure : command->figures) {
      if (find_column(figure.name) != nullptr) continue;
      const auto unit = unit_of_figure(command, figure.name).value_or(Unit::count);
      fields.push_back(figure_field(figure.name, unit, std::max(1, priority--)));
    }
  }
  fields.push_back(field_of(*find_column("status"), is_baseline, false));
  if (audience == Audience::page)
    fields.push_back({{.name = "finding", .align = Align::left}, finding_cell});
  return fields;
}

std::vector<Field> fields_of(const Cases& cases, const Axes& axes,
                             const std::vector<bool>& is_baseline,
                             const std::optional<CommandSpec>& command, bool is_foreign,
                             const std::vector<std::string>& wanted, Audience audience) {
  std::vector<Field> fields;
  auto names = axes.columns;
  for (const auto& name : wanted) {
    if (contains(axes.common, name)) names.push_back(name);
  }
  int priority = 40;  // of axes that others tell, the later ones give way first
  for (const std::string& name : names) {
    const auto values = values_of(cases, name);
    const bool words = std::ranges::any_of(values, [](const auto& value) {
      return value && std::holds_alternative<std::string>(*value);
    });
    std::map<const CaseSummary*, std::string> texts;
    const auto all = axis_texts(values);
    for (std::size_t i = 0; i < cases.size(); ++i) texts[cases[i]] = all[i];
    fields.push_back(
        {{.name = name,
          .align = words ? Align::left : Align::right,
          .priority = contains(wanted, name) ? Column::essential : std::max(1, priority--),
          .key = true},
         [texts = std::move(texts)](const CaseSummary& s) { return Cell{texts.at(&s)}; }});
  }
  for (auto& field : chosen_fields(wanted, axes, is_baseline, command, is_foreign, audience))
    fields.push_back(std::move(field));
  return fields;
}

/// How the cases were really launched: a mode that is not possible gives way to a simpler one.
std::string launch_of(const Result& result, const Cases& cases, LaunchMode asked) {
  std::set<std::size_t> indices;
  for (const CaseSummary* summary : cases) indices.insert(summary->info->index);
  std::set<std::string> used;
  for (const Measurement& measurement : result.measurements) {
    if (indices.contains(measurement.case_index) && !measurement.launch.empty())
      used.insert(measurement.launch);
  }
  const std::string wanted(to_string(asked));
  if (used.empty() || (used.size() == 1 && *used.begin() == wanted)) return wanted + " launch";
  return text::joined(used, " or ") + " launch (" + wanted + " was requested)";
}

/// "3 to 6 processes": how many measured the cases, or were to where none did.
std::string processes_of(const Cases& measured, const MeasureSpec& asked) {
  const auto [fewest, most] = std::ranges::minmax_element(
      measured,
      [](const auto* a, const auto* b) { return a->value("processes") < b->value("processes"); });
  const double low = measured.empty() ? asked.processes : (*fewest)->value("processes");
  const double high = measured.empty() ? asked.processes : (*most)->value("processes");
  const auto number =
      low == high ? fmt::format("{:.0f}", low) : fmt::format("{:.0f} to {:.0f}", low, high);
  return number + (high == 1 ? " process" : " processes");
}

/// What the columns beside the time tell of: one process can't tell how far processes differ.
std::string interval_of(const Cases& cases) {
  const auto has = [](const CaseSummary* summary) { return summary->time().has_interval(); };
  if (std::ranges::all_of(cases, has)) return "95 % intervals between processes";
  if (std::ranges::none_of(cases, has)) return "no intervals (no case has three processes)";
  return "95 % intervals between processes, for cases with three or more processes";
}

/// ", compiled by nvcc 13.0", of kernels that came in files.
std::string compilers_of(const Cases& measured) {
  std::set<std::string> used;
  for (const auto* summary : measured) {
    for (const auto& [fact, name] : {std::pair{"nvcc", "nvcc"}, std::pair{"nvrtc", "NVRTC"}}) {
      const auto found = summary->facts.find(fact);
      if (found != summary->facts.end())
        used.insert(fmt::format("{} {:.1f}", name, found->second.value));
    }
  }
  return used.empty() ? "" : fmt::format(", compiled by {}", fmt::join(used, " or "));
}

std::string method_of(const Result& result, const Experiment& plan, const Cases& cases) {
  const MeasureSpec& measure = plan.measure;
  Cases measured;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(measured),
               [](const auto* summary) { return summary->status == CaseStatus::measured; });
  if (plan.command) {
    return fmt::format(
        "{}, {}, {}{}", plan.workload,
        plan.command->reads == Reads::process ? "time of the process"
        : !result.environment.producer.empty()
            ? "read from the result file"
            : fmt::format("read from the output ({})", to_string(plan.command->reads)),
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
  text += compilers_of(measured);
  text += fmt::format(", data {}, {}", to_string(plan.data), processes_of(measured, measure));
  return measured.empty() ? text : text + ", " + interval_of(measured);
}

}  // namespace

ExperimentView view_of(const Result& result, std::size_t experiment,
                       const std::vector<CaseSummary>& summaries,
                       const std::vector<std::string>& wanted, Audience audience) {
  const Experiment& plan = result.plan.experiments.at(experiment);
  ExperimentView view;
  std::vector<bool> is_baseline(summaries.size(), false);
  Cases& cases = view.cases;
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
  const bool is_foreign = !result.environment.producer.empty();
  const std::vector<Field> fields =
      fields_of(cases, axes, is_baseline, plan.command, is_foreign, wanted, audience);
  for (const Field& field : fields) view.table.columns.push_back(field.column);
  for (const CaseSummary* summary : cases) {
    auto& row = view.table.rows.emplace_back();
    for (const Field& field : fields) row.cells.push_back(field.cell(*summary));
    row.anchor = anchor_of(*summary->info);
    row.command = again(result, *summary->info);
  }
  name_wholes(view.table, cases);
  return view;
}

}  // namespace apod::show
