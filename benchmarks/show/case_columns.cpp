#include "benchmarks/show/case_columns.hpp"

#include <algorithm>
#include <stdexcept>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/text/closest.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/show/estimate_text.hpp"
#include "benchmarks/show/limit.hpp"

namespace apod::show {
namespace {

using Summary = const CaseSummary&;
using Context = const CellContext&;

Cell word(std::string_view text) {
  return {std::string(text)};
}

/// A time that was too short for its clock is not shown.
Cell time_cell(Summary summary, const char* fact) {
  return summary.value(fact) > 0 ? fact_cell(summary, fact) : Cell{};
}

/// The interquartile range of a process's samples, where there is no interval between processes.
Cell spread_cell(Summary summary, Context context) {
  const bool alone = context.asked || !summary.time().has_interval();
  return alone ? fact_cell(summary, "sample_spread") : Cell{};
}

/// The rate that the nearest peak is about; bytes where no peak is known.
Cell rate_cell(Summary summary, Context) {
  const Bound bound = summary.peak.bound;
  const bool computes =
      bound == Bound::fp32 || bound == Bound::fp64 || summary.value("bandwidth") <= 0;
  const char* fact = computes ? "flops" : "bandwidth";
  return summary.value(fact) > 0 ? fact_cell(summary, fact) : Cell{};
}

Cell share_cell(Summary summary, Context) {
  if (summary.value("share_of_peak") <= 0) return {};
  Cell cell = fact_cell(summary, "share_of_peak");
  if (summary.peak.exceeded) cell.tone = Tone::warning;
  return cell;
}

std::string bound_text(Bound bound) {
  return bound == Bound::unknown ? "" : std::string(to_string(bound));
}

/// Marked without colour too: a share of more than the whole needs its note below.
Cell bound_cell(Summary summary, Context) {
  if (summary.peak.exceeded) return {bound_text(summary.peak.bound) + " !", Tone::warning};
  return {bound_text(limit_of(summary).bound)};
}

/// Of a traced run: the streams that were asked for say enough elsewhere.
Cell traced_cell(Summary summary, const char* fact, Context context) {
  return context.asked || summary.fact("overlap") != nullptr ? fact_cell(summary, fact) : Cell{};
}

Cell delta_cell(Summary summary, Context context) {
  const auto* delta = summary.fact("delta");
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

Cell status_cell(Summary summary, Context) {
  if (summary.status == CaseStatus::measured) return {};
  return {std::string(to_string(summary.status)), Tone::bad};
}

std::vector<CaseColumn> make_columns() {
  return {
      {.fact = "time",
       .title = "time",
       .csv_title = "time_s",
       .has_ends = true,
       .shown = [](Summary s, Context) { return time_cell(s, "time"); }},
      {.fact = "precision",
       .title = "interval",
       .priority = 50,
       .shown = [](Summary s, Context) { return Cell{interval_text(s.time())}; }},
      {.fact = "interval_kind",
       .csv_title = "interval_kind",
       .written =
           [](Summary s) {
             const bool measured = s.status == CaseStatus::measured;
             return measured ? word(to_string(s.interval())) : Cell{};
           }},
      {.fact = "sample_spread",
       .title = "sample spread",
       .csv_title = "sample_spread",
       .priority = 48,
       .shown = spread_cell},
      {.fact = "device_time",
       .title = "device time",
       .csv_title = "device_time_s",
       .priority = 10,
       .shown = [](Summary s, Context) { return time_cell(s, "device_time"); }},
      {.fact = "rate", .title = "rate", .priority = 20, .shown = rate_cell},
      {.fact = "bandwidth", .csv_title = "bytes_per_s"},
      {.fact = "flops", .csv_title = "flops_per_s"},
      {.fact = "share_of_peak",
       .title = "of peak",
       .csv_title = "share",
       .priority = 42,
       .shown = share_cell},
      {.fact = "bound",
       .title = "bound",
       .csv_title = "bound",
       .priority = 44,
       .align = Align::left,
       .shown = bound_cell,
       .written = [](Summary s) { return word(bound_text(s.peak.bound)); }},
      {.fact = "share_of_ceiling", .title = "of ceiling", .priority = 43},
      {.fact = "distinct_streams",
       .title = "used",
       .priority = 12,
       .shown = [](Summary s, Context c) { return traced_cell(s, "distinct_streams", c); }},
      {.fact = "overlap", .title = "overlap", .priority = 35},
      {.fact = "occupancy",
       .title = "occupied",
       .priority = 30,
       .shown = [](Summary s, Context c) { return traced_cell(s, "occupancy", c); }},
      {.fact = "delta",
       .title = "delta",
       .csv_title = "delta",
       .priority = 90,
       .has_ends = true,
       .shown = delta_cell},
      {.fact = "speedup"},
      {.fact = "processes", .csv_title = "processes"},
      {.fact = "samples", .csv_title = "samples"},
      {.fact = "throttled", .csv_title = "throttled"},
      {.fact = "error",
       .csv_title = "error",
       .written = [](Summary s) { return verified_cell(s, s.verification.error); }},
      {.fact = "tolerance",
       .csv_title = "tolerance",
       .written = [](Summary s) { return verified_cell(s, s.verification.tolerance); }},
      {.fact = "status",
       .title = "status",
       .csv_title = "status",
       .priority = 95,
       .align = Align::left,
       .shown = status_cell,
       .written = [](Summary s) { return word(to_string(s.status)); }},
      {.fact = "reason",
       .csv_title = "reason",
       .align = Align::left,
       .written = [](Summary s) { return word(s.reason); }},
  };
}

}  // namespace

const std::vector<CaseColumn>& case_columns() {
  static const std::vector<CaseColumn> columns = make_columns();
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
  return column.fact + end + column.csv_title.substr(column.fact.size());
}

std::string fact_called(const std::string& name) {
  if (name.empty()) return name;
  for (const auto& column : case_columns()) {
    if (name == column.title || name == column.csv_title) return column.fact;
    for (const char* end : {"_low", "_high"}) {
      if (column.has_ends && name == csv_title_of(column, end)) return column.fact + end;
    }
  }
  return name;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
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
  for (const Case& c : plan.cases) {
    for (const auto& entry : c.params.entries()) names.push_back(entry.first);
  }
  std::vector<std::string> found;
  for (const std::string& name : columns) {
    found.push_back(fact_called(name));
    if (contains(names, name) || find_fact(found.back()) != nullptr) continue;
    const auto near = text::closest(name, names);
    throw std::invalid_argument(
        "--columns: '" + name +
        "' is neither an axis, a fact nor the title of a column of this result (" +
        (near.empty() ? "bench --list names the facts" : "did you mean '" + near + "'?") + ")");
  }
  return found;
}

}  // namespace apod::show
