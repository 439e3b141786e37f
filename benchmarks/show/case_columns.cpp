#include "benchmarks/show/case_columns.hpp"

#include <algorithm>
#include <stdexcept>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/show/curve_axes.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/limit.hpp"

namespace apod::show {
namespace {

using Summary = const CaseSummary&;
using Fact = const std::string&;
using Context = const CellContext&;

Cell word(std::string_view text) {
  return {std::string(text)};
}

/// A time that was too short for its clock is not shown.
Cell time_cell(Summary summary, Fact fact, Context) {
  return summary.value(fact) > 0 ? fact_cell(summary, fact) : Cell{};
}

Cell interval_cell(Summary summary, Fact, Context) {
  return {interval_text(summary.time())};
}

Cell kind_cell(Summary summary) {
  if (summary.status != CaseStatus::measured) return {};
  return word(summary.time().has_interval() ? "processes" : "none");
}

/// The interquartile range of a process's samples, where there is no interval between processes.
Cell spread_cell(Summary summary, Fact fact, Context context) {
  const bool alone = context.asked || !summary.time().has_interval();
  return alone ? fact_cell(summary, fact) : Cell{};
}

/// The rate of what the case does, arithmetic or bytes. That of a collective's size is none to
/// compare collectives by.
Cell rate_cell(Summary summary, Fact, Context) {
  if (rate_of_bytes(summary) != "bandwidth") return {};
  const char* rate = summary.computes ? "flops" : "bandwidth";
  return summary.value(rate) > 0 ? fact_cell(summary, rate) : Cell{};
}

Cell share_cell(Summary summary, Fact fact, Context) {
  if (summary.value(fact) <= 0) return {};
  Cell cell = fact_cell(summary, fact);
  if (summary.peak.exceeded) cell.tone = Tone::warning;
  return cell;
}

std::string bound_text(Bound bound) {
  return bound == Bound::unknown ? "" : std::string(to_string(bound));
}

/// Marked without colour too: a share of more than the whole needs its note below.
Cell bound_cell(Summary summary, Fact, Context) {
  if (summary.peak.exceeded) return {bound_text(summary.peak.bound) + " !", Tone::warning};
  return {bound_text(limit_of(summary).bound)};
}

/// Of a traced run: the streams that were asked for say enough elsewhere.
Cell traced_cell(Summary summary, Fact fact, Context context) {
  return context.asked || summary.fact("overlap") != nullptr ? fact_cell(summary, fact) : Cell{};
}

Cell delta_cell(Summary summary, Fact fact, Context context) {
  const auto* delta = summary.fact(fact);
  if (delta == nullptr) {
    const bool is_base = context.is_baseline && summary.status == CaseStatus::measured;
    return {is_base ? "baseline" : "", Tone::dim};
  }
  const Tone tone = !delta->has_interval() ? Tone::plain
                    : is_undecided(*delta) ? Tone::dim
                    : delta->high < 0      ? Tone::good
                                           : Tone::bad;
  return {marked_change(*delta), tone, delta->value};
}

/// A failed case says by how much: its error is a result. It has none where nothing was verified.
Cell verified_cell(Summary summary, double value) {
  if (summary.verification.measure.empty()) return {};
  return {fact_text("error", value), Tone::plain, value};
}

Cell status_cell(Summary summary, Fact, Context) {
  if (summary.status == CaseStatus::measured) return {};
  return {std::string(to_string(summary.status)), Tone::bad};
}

Cell error_written(Summary summary) {
  return verified_cell(summary, summary.verification.error);
}

Cell tolerance_written(Summary summary) {
  return verified_cell(summary, summary.verification.tolerance);
}

Cell bound_written(Summary summary) {
  return word(bound_text(limit_of(summary).bound));
}

Cell status_written(Summary summary) {
  return word(to_string(summary.status));
}

Cell reason_written(Summary summary) {
  return word(summary.reason);
}

}  // namespace

const std::vector<CaseColumn>& case_columns() {
  static const std::vector<CaseColumn> columns{
      // fact, title, title in CSV, priority, for people, in CSV, ends, align
      {"time", "time", "time_s", Column::essential, time_cell, nullptr, Ends::shown},
      {"precision", "interval", "", 50, interval_cell},
      {"interval_kind", "", "interval_kind", 0, nullptr, kind_cell},
      {"sample_spread", "sample spread", "sample_spread", 48, spread_cell},
      {"device_time", "device time", "device_time_s", 10, time_cell},
      {"rate", "rate", "", 47, rate_cell},
      {"bus_bandwidth", "bus bandwidth", "", 42},
      {"bandwidth", "", "bytes_per_s"},
      {"flops", "", "flops_per_s"},
      {"share_of_peak", "of peak", "share", 41, share_cell},
      {"bound", "bound", "bound", 42, bound_cell, bound_written, Ends::none, Align::left},
      {"share_of_ceiling", "of ceiling", "", 44},
      {"distinct_streams", "used", "", 12, traced_cell},
      {"overlap", "overlap", "", 35},
      {"occupancy", "occupied", "", 30, traced_cell},
      {"energy", "energy", "", 46, nullptr, nullptr, Ends::shown},
      {"power", "power", "", 45, nullptr, nullptr, Ends::shown},
      {"delta", "delta", "delta", 90, delta_cell, nullptr, Ends::shown},
      {"speedup"},
      {"processes", "", "processes"},
      {"samples", "", "samples"},
      {"throttled", "", "throttled"},
      {"error", "", "error", 0, nullptr, error_written},
      {"tolerance", "", "tolerance", 0, nullptr, tolerance_written},
      {"status", "status", "status", 99, status_cell, status_written, Ends::none, Align::left},
      {"reason", "", "reason", 0, nullptr, reason_written, Ends::none, Align::left},
  };
  return columns;
}

const CaseColumn* find_column(const std::string& fact) {
  for (const auto& column : case_columns()) {
    if (column.fact == fact) return &column;
  }
  return nullptr;
}

Cell fact_cell(const CaseSummary& summary, const std::string& fact) {
  const auto value = summary.number(fact);
  return value ? Cell{fact_text(fact, *value), Tone::plain, *value} : Cell{};
}

std::string csv_title_of(const CaseColumn& column, const std::string& end) {
  return column.fact + end +
         (column.csv_title.empty() ? "" : column.csv_title.substr(column.fact.size()));
}

std::string fact_called(const std::string& name) {
  if (name.empty()) return name;
  for (const auto& column : case_columns()) {
    if (name == column.title || name == column.csv_title) return column.fact;
    for (const char* end : {"_low", "_high"}) {
      if (column.ends == Ends::shown && name == csv_title_of(column, end)) return column.fact + end;
    }
  }
  return name;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> named_columns(const Plan& plan, const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const auto& column : case_columns()) {
    for (const auto& title : {column.fact, column.title, column.csv_title}) {
      if (!title.empty()) names.push_back(title);
    }
  }
  for (const FactInfo& fact : known_facts()) names.emplace_back(fact.name);
  names.emplace_back("variant");
  for (const auto& experiment : plan.experiments) {
    if (!experiment.command) continue;
    for (const auto& figure : experiment.command->figures) names.push_back(figure.name);
  }
  for (const Case& c : plan.cases) {
    for (const auto& entry : c.params.entries()) names.push_back(entry.first);
  }
  std::vector<std::string> found;
  for (const std::string& name : columns) {
    found.push_back(fact_called(name));
    if (contains(names, name) || find_fact(found.back()) != nullptr) continue;
    const auto near = text::closest(name, names);
    throw std::invalid_argument("--columns: '" + name +
                                "' is not an axis, a fact or a column title of this result" +
                                text::in_brackets(text::did_you_mean(near, to_see_facts)));
  }
  return found;
}

}  // namespace apod::show
