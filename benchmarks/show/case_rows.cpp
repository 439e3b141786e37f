#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/show/case_columns.hpp"
#include "benchmarks/show/estimate_text.hpp"
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

/// A column, and what it says of a case.
struct RowField {
  std::string title;
  std::string name;  ///< of what it says
  std::function<Cell(const CaseSummary&)> cell;
};

RowField fact_field(const std::string& title, const std::string& fact) {
  return {title, fact, [fact](const CaseSummary& s) { return fact_cell(s, fact); }};
}

std::vector<RowField> identity_fields(const Plan& plan) {
  const auto word = [](std::string_view text) { return Cell{std::string(text)}; };
  const auto of_experiment = [&plan, word](const char* title, auto text_of) {
    return RowField{title, title, [&plan, word, text_of](const CaseSummary& s) {
                      return word(text_of(plan.experiment_of(*s.info)));
                    }};
  };
  std::vector<RowField> fields{
      {"case", "case", [word](const CaseSummary& s) { return word(s.info->id); }},
      of_experiment("experiment", [](const auto& e) { return e.name; }),
      of_experiment("workload", [](const auto& e) { return e.workload; }),
      of_experiment("scope", [](const auto& e) { return to_string(e.scope); }),
      {"backend", "backend",
       [word](const CaseSummary& s) { return word(to_string(s.info->backend)); }},
      {"variant", "variant", [word](const CaseSummary& s) { return word(s.info->variant); }}};
  for (const auto& axis : axes_of(plan)) {
    fields.push_back({axis, axis, [axis, word](const CaseSummary& s) {
                        const auto value = axis_of(*s.info, axis);
                        return word(value ? to_string(*value) : "");
                      }});
  }
  return fields;
}

/// The columns of the list that have a title in CSV.
std::vector<RowField> listed_fields() {
  std::vector<RowField> fields;
  for (const CaseColumn& column : case_columns()) {
    if (column.csv_title.empty()) continue;
    fields.push_back(column.written != nullptr
                         ? RowField{column.csv_title, column.fact, column.written}
                         : fact_field(column.csv_title, column.fact));
    if (column.ends == Ends::none) continue;
    for (const char* end : {"_low", "_high"})
      fields.push_back(fact_field(csv_title_of(column, end), column.fact + end));
  }
  return fields;
}

/// Facts that any case has, in the order of the table of facts, then those that it does not know.
/// The ends of an interval follow a fact that the list of columns does not know, or has them there.
std::vector<std::string> facts_of(const std::vector<CaseSummary>& summaries) {
  std::map<std::string, bool> present;  // with an interval
  for (const auto& summary : summaries) {
    for (const auto& [name, value] : summary.facts) {
      const auto* column = find_column(name);
      bool& has_ends = present[name];
      has_ends =
          has_ends || (value.has_interval() && (column == nullptr || column->ends == Ends::shown));
    }
  }
  std::vector<std::string> facts;
  const auto add = [&](const std::string& name, bool has_ends) {
    facts.push_back(name);
    if (has_ends) facts.insert(facts.end(), {name + "_low", name + "_high"});
  };
  for (const FactInfo& fact : known_facts()) {
    const auto found = present.find(std::string(fact.name));
    if (found == present.end()) continue;
    add(found->first, found->second);
    present.erase(found);
  }
  for (const auto& [name, has_ends] : present) add(name, has_ends);
  return facts;
}

}  // namespace

Table case_rows(const Result& result, const std::vector<std::string>& columns) {
  const auto summaries = summarize(result);
  const auto wanted = named_columns(result.plan, columns);
  auto fields = identity_fields(result.plan);
  std::set<std::string> said;
  for (const auto& field : fields) said.insert(field.name);
  for (auto& field : listed_fields()) {
    said.insert(field.name);
    const bool is_shown = wanted.empty() || contains(wanted, field.name) || field.name == "status";
    if (is_shown) fields.push_back(std::move(field));
  }
  for (const auto& fact : wanted.empty() ? facts_of(summaries) : wanted) {
    if (fact == "rate")
      throw std::invalid_argument("--columns: CSV has no column 'rate'; name bandwidth or flops");
    if (said.insert(fact).second) fields.push_back(fact_field(fact, fact));
  }
  Table table;
  for (const auto& field : fields) table.columns.push_back({field.title});
  for (const CaseSummary& summary : summaries) {
    auto& cells = table.rows.emplace_back().cells;
    for (const auto& field : fields) cells.push_back(field.cell(summary));
  }
  return table;
}

}  // namespace apod::show
