#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/show/axis_text.hpp"
#include "benchmarks/show/case_table.hpp"
#include "benchmarks/show/run_result.hpp"

namespace apod::show {
namespace {

/// Every axis of any case but `variant`, which has its own column, in order of first appearance.
std::vector<std::string> axes_of(const Plan& plan) {
  std::vector<std::string> axes;
  std::set<std::string> known{"variant"};
  for (const Case& c : plan.cases) {
    for (const auto& [name, value] : c.params.entries()) {
      if (known.insert(name).second) axes.push_back(name);
    }
  }
  return axes;
}

/// Facts that any case has, in the order of the table of facts; then those that it does not know.
std::vector<std::string> facts_of(const std::vector<CaseSummary>& summaries) {
  std::set<std::string> present;
  for (const auto& summary : summaries) {
    for (const auto& [name, value] : summary.facts) present.insert(name);
  }
  std::vector<std::string> facts;
  for (const FactInfo& fact : known_facts()) {
    std::string name(fact.name);
    if (present.erase(name) > 0) facts.push_back(std::move(name));
  }
  facts.insert(facts.end(), present.begin(), present.end());
  return facts;
}

/// A column, and what it says of a case.
struct CsvField {
  std::string name;
  Cell (*cell)(const CaseSummary&, const Experiment&);
  std::string fact = name;  ///< that it says
};

Cell number(double value) {
  return {"", Tone::plain, value};
}
Cell number_if(bool known, double value) {
  return known ? number(value) : Cell{};
}
Cell count(std::size_t value) {
  return {std::to_string(value)};
}
Cell word(std::string_view text) {
  return {std::string(text)};
}

using Summary = const CaseSummary&;
using Shared = const Experiment&;

const std::vector<CsvField> identity_fields{
    {"case", [](Summary s, Shared) { return word(s.info->id); }},
    {"experiment", [](Summary, Shared e) { return word(e.name); }},
    {"workload", [](Summary, Shared e) { return word(e.workload); }},
    {"scope", [](Summary, Shared e) { return word(to_string(e.scope)); }},
    {"backend", [](Summary s, Shared) { return word(to_string(s.info->backend)); }},
    {"variant", [](Summary s, Shared) { return word(s.info->variant); }},
};

/// Only of measured cases.
const std::vector<CsvField> all_number_fields{
    {"time_s", [](Summary s, Shared) { return number(s.time_s.value); }, "time"},
    {"time_low_s", [](Summary s, Shared) { return number(s.time_s.low); }, "time_low"},
    {"time_high_s", [](Summary s, Shared) { return number(s.time_s.high); }, "time_high"},
    {"interval_kind", [](Summary s, Shared) { return word(to_string(s.interval())); }},
    {"sample_spread",
     [](Summary s, Shared) { return s.sample_spread ? number(*s.sample_spread) : Cell{}; }},
    {"device_time_s",
     [](Summary s, Shared e) {
       return number_if(e.scope == Scope::end_to_end, s.device_time_s.value);
     },
     "device_time"},
    {"bytes_per_s", [](Summary s, Shared) { return number(s.throughput.bytes_per_s); },
     "bandwidth"},
    {"flops_per_s", [](Summary s, Shared) { return number(s.throughput.flops_per_s); }, "flops"},
    {"share",
     [](Summary s, Shared) { return number_if(!s.throughput.bound.empty(), s.throughput.share); },
     "share_of_peak"},
    {"bound", [](Summary s, Shared) { return word(s.throughput.bound); }},
    {"delta", [](Summary s, Shared) { return s.delta ? number(s.delta->value) : Cell{}; }},
    {"delta_low", [](Summary s, Shared) { return s.delta ? number(s.delta->low) : Cell{}; }},
    {"delta_high", [](Summary s, Shared) { return s.delta ? number(s.delta->high) : Cell{}; }},
    {"processes",
     [](Summary s, Shared) { return count(static_cast<std::size_t>(std::max(s.processes, 0))); }},
    {"samples", [](Summary s, Shared) { return count(s.samples); }},
    {"throttled", [](Summary s, Shared) { return count(s.throttled); }},
};

/// A failed case says by how much: its error is a result. It has none where nothing was verified.
const std::vector<CsvField> all_outcome_fields{
    {"error",
     [](Summary s, Shared) {
       return number_if(!s.verification.measure.empty(), s.verification.error);
     }},
    {"tolerance",
     [](Summary s, Shared) {
       return number_if(!s.verification.measure.empty(), s.verification.tolerance);
     }},
    {"status", [](Summary s, Shared) { return word(to_string(s.status)); }},
    {"reason", [](Summary s, Shared) { return word(s.reason); }},
};

/// Those of `fields` that are wanted; all of them where none is named. The status always is.
std::vector<CsvField> kept(std::vector<CsvField> fields, const std::vector<std::string>& wanted) {
  std::erase_if(fields, [&](const CsvField& field) {
    return !wanted.empty() && !contains(wanted, field.fact) && field.name != "status";
  });
  return fields;
}

/// Takes out the facts that `fields` say.
void erase_said(std::vector<std::string>& facts, const std::vector<CsvField>& fields) {
  for (const auto& field : fields) std::erase(facts, field.fact);
}

}  // namespace

std::map<std::string, std::string> csv_titles() {
  std::map<std::string, std::string> titles;
  for (const auto* group : {&all_number_fields, &all_outcome_fields}) {
    for (const auto& field : *group) titles.emplace(field.name, field.fact);
  }
  return titles;
}

Table case_rows(const Result& result, const std::vector<std::string>& columns) {
  const auto axes = axes_of(result.plan);
  const auto summaries = summarize(result);
  const auto wanted = named_columns(result.plan, columns);
  const auto number_fields = kept(all_number_fields, wanted);
  const auto outcome_fields = kept(all_outcome_fields, wanted);
  auto facts = wanted.empty() ? facts_of(summaries) : wanted;
  for (const auto* said : {&identity_fields, &number_fields, &outcome_fields}) {
    erase_said(facts, *said);
  }
  for (const auto& axis : axes) std::erase(facts, axis);
  if (contains(facts, "rate")) {
    throw std::invalid_argument("--columns: CSV has no rate, but bandwidth and flops");
  }
  Table table;
  for (const auto* group : {&identity_fields, &number_fields, &outcome_fields}) {
    for (const auto& field : *group) table.columns.push_back({field.name});
    if (group != &identity_fields) continue;
    for (const auto& axis : axes) table.columns.push_back({axis});
  }
  for (const auto& fact : facts) table.columns.push_back({fact});
  for (const CaseSummary& summary : summaries) {
    const Experiment& experiment = result.plan.experiment_of(*summary.info);
    const bool measured = summary.status == CaseStatus::measured;
    auto& cells = table.rows.emplace_back().cells;
    for (const auto& field : identity_fields) cells.push_back(field.cell(summary, experiment));
    for (const auto& axis : axes) {
      const auto value = axis_of(*summary.info, axis);
      cells.push_back({value ? to_string(*value) : ""});
    }
    for (const auto& field : number_fields) {
      cells.push_back(measured ? field.cell(summary, experiment) : Cell{});
    }
    for (const auto& field : outcome_fields) cells.push_back(field.cell(summary, experiment));
    for (const auto& fact : facts) {
      const auto found = summary.facts.find(fact);
      cells.push_back(found == summary.facts.end() ? Cell{} : number(found->second));
    }
  }
  return table;
}

}  // namespace apod::show
