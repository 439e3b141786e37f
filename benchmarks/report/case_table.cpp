#include "benchmarks/report/case_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "benchmarks/model/axes.hpp"
#include "benchmarks/text/plain.hpp"
#include "benchmarks/text/units.hpp"

namespace apod::report {
namespace {

std::string time_or_none(const Estimate& estimate) {
  return estimate.value > 0 ? text::format_time(estimate.value) : text::no_value;
}

/// The rate that `bound` is about; bytes where no peak is known.
std::string rate_of(const Throughput& throughput) {
  const bool computes =
      throughput.bound == "fp32" || throughput.bound == "fp64" || throughput.bytes_per_s <= 0;
  const double rate = computes ? throughput.flops_per_s : throughput.bytes_per_s;
  return rate > 0 ? text::format_rate(rate, computes ? "FLOP/s" : "B/s") : text::no_value;
}

Cell share_of(const Throughput& throughput) {
  if (throughput.share <= 0) return {text::no_value, Tone::dim};
  return {text::format_percent(throughput.share),
          throughput.above_peak ? Tone::warning : Tone::plain};
}

Cell bound_of(const Throughput& throughput) {
  if (throughput.bound.empty()) return {text::no_value, Tone::dim};
  // Marked without colour too: a share of more than the whole needs its note below.
  return {text::printable(throughput.bound) + (throughput.above_peak ? " !" : ""),
          throughput.above_peak ? Tone::warning : Tone::plain};
}

Cell delta_of(const CaseSummary& summary, bool is_baseline) {
  if (!summary.delta) return {is_baseline ? "baseline" : text::no_value, Tone::dim};
  const Estimate& delta = *summary.delta;
  if (!std::isfinite(delta.value)) return {text::no_value, Tone::dim};
  const std::string text = format_change(delta);
  if (!delta.has_interval()) return {text};
  if (delta.low <= 0 && delta.high >= 0) return {"~ " + text, Tone::dim};
  return {text, delta.high < 0 ? Tone::good : Tone::bad};
}

/// Axes that all cases share, and those that tell them apart: the swept ones first.
struct Axes {
  std::vector<std::string> columns;
  std::vector<std::string> common;
};

Axes axes_of(const ExperimentPlan& plan, const std::vector<const CaseSummary*>& cases) {
  Axes axes;
  axes.columns = plan.swept;
  std::vector<std::string> names{"variant"};
  for (const CaseSummary* summary : cases) {
    for (const auto& [name, value] : summary->info->params.entries()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    if (std::find(axes.columns.begin(), axes.columns.end(), name) != axes.columns.end()) continue;
    const auto first = axis_of(*cases.front()->info, name);
    const bool same = std::all_of(cases.begin(), cases.end(), [&](const CaseSummary* summary) {
      return axis_of(*summary->info, name) == first;
    });
    (same ? axes.common : axes.columns).push_back(name);
  }
  return axes;
}

/// With too few processes for an interval between them the spread of the samples is shown.
bool has_samples_alone(const CaseSummary& summary) {
  return !summary.time_s.has_interval() && summary.sample_spread.has_value();
}

/// A column of the table and what it shows of a case.
struct Field {
  Column column;
  std::function<Cell(const CaseSummary&)> cell;
};

std::vector<Field> fields_of(const std::vector<const CaseSummary*>& cases, const Axes& axes,
                             const std::vector<bool>& is_baseline) {
  const auto any = [&](const auto& predicate) {
    return std::any_of(cases.begin(), cases.end(),
                       [&](const CaseSummary* summary) { return predicate(*summary); });
  };
  std::vector<Field> fields;
  const auto add = [&](Column column, std::function<Cell(const CaseSummary&)> cell) {
    fields.push_back({std::move(column), std::move(cell)});
  };
  // A column of numbers, which only measured cases have.
  const auto add_measured = [&](Column column, std::function<Cell(const CaseSummary&)> cell) {
    add(std::move(column), [cell = std::move(cell)](const CaseSummary& s) {
      return s.status == CaseStatus::measured ? cell(s) : Cell{text::no_value, Tone::dim};
    });
  };
  for (const std::string& name : axes.columns) {
    const bool words = any([&](const CaseSummary& s) {
      const auto value = axis_of(*s.info, name);
      return value && std::holds_alternative<std::string>(*value);
    });
    add({text::printable(name), !words}, [name](const CaseSummary& s) {
      const auto value = axis_of(*s.info, name);
      return Cell{value ? text::printable(format_axis(*value)) : text::no_value};
    });
  }
  add_measured({"time"}, [](const CaseSummary& s) { return Cell{time_or_none(s.time_s)}; });
  if (any([](const CaseSummary& s) { return s.time_s.has_interval(); })) {
    add_measured({"±", true, 50},
                 [](const CaseSummary& s) { return Cell{format_spread(s.time_s)}; });
  }
  if (any(has_samples_alone)) {
    add_measured({"spread", true, 48}, [](const CaseSummary& s) {
      return has_samples_alone(s) ? Cell{text::format_percent(*s.sample_spread)}
                                  : Cell{text::no_value, Tone::dim};
    });
  }
  if (any([](const CaseSummary& s) { return s.device_time_s.value > 0; })) {
    add_measured({"device", true, 10},
                 [](const CaseSummary& s) { return Cell{time_or_none(s.device_time_s)}; });
  }
  add_measured({"rate", true, 20},
               [](const CaseSummary& s) { return Cell{rate_of(s.throughput)}; });
  add_measured({"of peak", true, 30}, [](const CaseSummary& s) { return share_of(s.throughput); });
  if (any([](const CaseSummary& s) { return !s.throughput.bound.empty(); })) {
    add_measured({"bound", false, 15}, [](const CaseSummary& s) { return bound_of(s.throughput); });
  }
  const auto has_ceiling = [](const CaseSummary& s) {
    return s.facts.count("share_of_ceiling") > 0;
  };
  if (any(has_ceiling)) {
    add_measured({"of ceiling", true, 25}, [has_ceiling](const CaseSummary& s) {
      return has_ceiling(s) ? Cell{text::format_percent(s.roofline->share)}
                            : Cell{text::no_value, Tone::dim};
    });
  }
  // What a traced pass adds: streams that were really used, and how much ran at once.
  const auto add_fact = [&](Column column, const char* fact, auto format) {
    const auto traced = [&](const CaseSummary& s) {
      return s.facts.count("overlap") > 0 && s.facts.count(fact) > 0;
    };
    if (!any(traced)) return;
    add_measured(std::move(column), [fact, format](const CaseSummary& s) {
      const auto found = s.facts.find(fact);
      return found == s.facts.end() ? Cell{text::no_value, Tone::dim} : Cell{format(found->second)};
    });
  };
  add_fact({"used", true, 35}, "distinct_streams",
           [](double count) { return fmt::format("{:.0f}", count); });
  add_fact({"overlap", true, 45}, "overlap", text::format_percent);
  add_fact({"occupied", true, 40}, "occupancy", text::format_percent);
  if (any([&](const CaseSummary& s) { return s.delta || is_baseline[s.info->index]; })) {
    add_measured({"delta", true, 90}, [&is_baseline](const CaseSummary& s) {
      return delta_of(s, is_baseline[s.info->index]);
    });
  }
  if (any([](const CaseSummary& s) { return s.status != CaseStatus::measured; })) {
    add({"status", false, 95}, [](const CaseSummary& s) {
      if (s.status == CaseStatus::measured) return Cell{};
      return Cell{std::string(to_string(s.status)), Tone::bad};
    });
  }
  return fields;
}

/// How the cases were really launched: a mode that is not possible gives way to a simpler one.
std::string launch_of(const Result& result, const std::vector<const CaseSummary*>& cases,
                      LaunchMode asked) {
  std::set<std::size_t> indices;
  for (const CaseSummary* summary : cases) indices.insert(summary->info->index);
  std::set<std::string> used;
  for (const Measurement& measurement : result.measurements) {
    if (indices.count(measurement.case_index) > 0 && !measurement.launch.empty()) {
      used.insert(measurement.launch);
    }
  }
  const std::string wanted(to_string(asked));
  if (used.empty() || (used.size() == 1 && *used.begin() == wanted)) return wanted + " launch";
  std::string all;
  for (const std::string& launch : used) all += (all.empty() ? "" : " or ") + launch;
  return all + " launch (" + wanted + " was asked for)";
}

/// What the columns beside the time tell.
std::string intervals_of(const std::vector<const CaseSummary*>& measured) {
  const auto any = [&](auto predicate) {
    return std::any_of(measured.begin(), measured.end(), [&](auto* s) { return predicate(*s); });
  };
  std::string text;
  if (any([](const CaseSummary& s) { return s.time_s.has_interval(); }))
    text += ", ± is the 95 % interval between processes";
  if (any(has_samples_alone)) text += ", spread is the interquartile range of a process's samples";
  return text;
}

std::string method_of(const Result& result, const ExperimentPlan& plan,
                      const std::vector<const CaseSummary*>& cases) {
  const MeasureSpec& measure = plan.measure;
  std::vector<const CaseSummary*> measured;
  for (const CaseSummary* summary : cases) {
    if (summary->status == CaseStatus::measured) measured.push_back(summary);
  }
  std::string text = fmt::format("{}, {} scope", plan.workload, to_string(plan.scope));
  if (plan.scope == Scope::kernel) {
    text += fmt::format(", {} cache, {}", to_string(measure.cache),
                        launch_of(result, measured, measure.launch));
  }
  text += fmt::format(", data {}, {} process{}", to_string(plan.data), measure.processes,
                      measure.processes == 1 ? "" : "es");
  text += intervals_of(measured);
  return text::printable(text);
}

}  // namespace

std::string format_axis(const AxisValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < 8192) return to_string(value);
  if ((*number & (*number - 1)) == 0) {
    int exponent = 0;
    for (std::int64_t n = *number; n > 1; n /= 2) ++exponent;
    return fmt::format("2^{}", exponent);
  }
  std::string digits = std::to_string(*number);
  const std::size_t exponent = digits.size() - 1;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (exponent < 4 || digits.size() > 3) return to_string(value);
  if (digits.size() > 1) digits.insert(1, ".");
  return fmt::format("{}e{}", digits, exponent);
}

std::optional<AxisValue> axis_of(const Case& c, const std::string& name) {
  if (const AxisValue* value = c.params.find(name)) return *value;
  if (name == "variant" && !c.variant.empty()) return c.variant;
  return std::nullopt;
}

bool has_cases(const Result& result, std::size_t experiment) {
  return std::any_of(result.plan.cases.begin(), result.plan.cases.end(),
                     [&](const Case& c) { return c.experiment == experiment; });
}

ExperimentView view_of(const Result& result, std::size_t experiment,
                       const std::vector<CaseSummary>& summaries) {
  const ExperimentPlan& plan = result.plan.experiments.at(experiment);
  ExperimentView view;
  view.title = text::printable(plan.name);
  std::vector<bool> is_baseline(summaries.size(), false);
  std::vector<const CaseSummary*> cases;
  for (const CaseSummary& summary : summaries) {
    if (summary.info->experiment != experiment) continue;
    if (summary.info->baseline) is_baseline.at(*summary.info->baseline) = true;
    // Skipped cases and those that never ran have no numbers: they are grouped below the tables.
    if (summary.status == CaseStatus::measured || summary.status == CaseStatus::failed) {
      cases.push_back(&summary);
    }
  }
  view.method = method_of(result, plan, cases);
  if (cases.empty()) return view;

  const Axes axes = axes_of(plan, cases);
  for (const std::string& name : axes.common) {
    const auto value = axis_of(*cases.front()->info, name);
    if (!value || goes_without_saying(name, *value)) continue;
    view.common +=
        (view.common.empty() ? "" : ", ") + text::printable(name + " " + format_axis(*value));
  }
  const std::vector<Field> fields = fields_of(cases, axes, is_baseline);
  for (const Field& field : fields) view.table.columns.push_back(field.column);
  for (const CaseSummary* summary : cases) {
    auto& row = view.table.rows.emplace_back();
    for (const Field& field : fields) row.push_back(field.cell(*summary));
  }
  return view;
}

}  // namespace apod::report
