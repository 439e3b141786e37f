#include "benchmarks/plan/expect.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include "benchmarks/model/condition.hpp"

namespace apod::plan {
namespace {

std::string number_text(double value) {
  // Counts and bytes in full, shares and times with six digits.
  const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  char text[32];
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.6g", value);
  return text;
}

/// "distinct_streams == streams".
std::string rule_text(const Expectation& expectation) {
  return to_string(expectation.fact, expectation.condition);
}

/// "distinct_streams is 1, streams is 4": the fact and the axes that it was held against.
std::string observed_text(const Expectation& expectation, double value, const Params& params) {
  std::string text = expectation.fact + " is " + number_text(value);
  for (const Operand& operand : expectation.condition.operands) {
    const auto* word = std::get_if<std::string>(&operand);
    const auto* axis = word == nullptr ? nullptr : params.find(*word);
    if (axis != nullptr) text += ", " + *word + " is " + to_string(*axis);
  }
  return text;
}

std::string absent_text(const std::string& fact) {
  const FactInfo* known = find_fact(fact);
  const bool traced = known != nullptr && known->needs_trace;
  return fact +
         (traced ? " was not traced (measure.trace: true asks for it)" : " was not measured");
}

ExpectationOutcome hold(const Expectation& expectation, const CaseSummary& summary) {
  ExpectationOutcome outcome;
  outcome.case_index = summary.info->index;
  outcome.rule = rule_text(expectation);
  outcome.place = expectation.place;
  const auto fact = summary.facts.find(expectation.fact);
  if (fact == summary.facts.end()) {
    outcome.observed = absent_text(expectation.fact);
  } else {
    outcome.met = holds(expectation.condition, fact->second, summary.info->params);
    outcome.observed = observed_text(expectation, fact->second, summary.info->params);
  }
  return outcome;
}

}  // namespace

bool selects(const Expectation& expectation, const Case& c) {
  const FactInfo* fact = find_fact(expectation.fact);
  if (fact != nullptr && fact->needs_baseline && !c.baseline) return false;
  return matches(expectation.where, c.params);
}

std::vector<ExpectationOutcome> check_expectations(const Result& result,
                                                   const std::vector<CaseSummary>& summaries) {
  std::vector<std::vector<const CaseSummary*>> of_experiment(result.plan.experiments.size());
  for (const CaseSummary& summary : summaries) {
    of_experiment.at(summary.info->experiment).push_back(&summary);
  }
  std::vector<ExpectationOutcome> outcomes;
  for (std::size_t e = 0; e < of_experiment.size(); ++e) {
    for (const Expectation& expectation : result.plan.experiments[e].expectations) {
      const CaseSummary* selected = nullptr;
      bool measured = false;
      for (const CaseSummary* summary : of_experiment[e]) {
        if (!selects(expectation, *summary->info)) continue;
        if (selected == nullptr) selected = summary;
        if (summary->status != CaseStatus::measured) continue;
        measured = true;
        outcomes.push_back(hold(expectation, *summary));
      }
      // A rule that selects nothing was told of when the plan was made. One whose cases all came to
      // nothing must not pass in silence.
      if (selected == nullptr || measured) continue;
      outcomes.push_back({selected->info->index, rule_text(expectation), "selects no measured case",
                          false, expectation.place});
    }
  }
  return outcomes;
}

}  // namespace apod::plan
