#include "benchmarks/plan/expect.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/base/condition.hpp"
#include "benchmarks/base/text/units.hpp"

namespace apod::plan {
namespace {

/// "distinct_streams == streams".
std::string rule_text(const Expectation& expectation) {
  return to_string(expectation.fact, expectation.condition);
}

/// "distinct_streams is 1, streams is 4": the fact and the axes that it was held against. Where the
/// interval decides, "speedup is 1.4, between 0.99 and 1.9".
std::string observed_text(const Expectation& expectation, const Estimate& fact, RuleState state,
                          const Params& params, const std::optional<CommandSpec>& command) {
  const FactInfo* known = find_fact(expectation.fact);
  const Unit unit = known != nullptr
                        ? known->unit
                        : unit_of_figure(command, expectation.fact).value_or(Unit::count);
  std::string text = expectation.fact + " is " + text::format_quantity(fact.value, unit);
  if (state == RuleState::undecided) {
    text += ", between " + text::format_quantity(fact.low, unit) + " and " +
            text::format_quantity(fact.high, unit);
  }
  for (const Operand& operand : expectation.condition.operands) {
    const auto* word = std::get_if<std::string>(&operand);
    const auto* axis = word == nullptr ? nullptr : params.find(*word);
    if (axis != nullptr) text += ", " + *word + " is " + to_string(*axis);
  }
  return text;
}

/// Of the notes the one that begins with any of these, without it, behind a colon. Else empty.
std::string reason_in(const std::vector<std::string>& notes,
                      std::initializer_list<std::string_view> beginnings) {
  for (const std::string& note : notes) {
    for (const auto beginning : beginnings) {
      if (note.starts_with(beginning)) return ": " + note.substr(beginning.size());
    }
  }
  return "";
}

/// Why there is no such fact. Passes that could not do what they were asked for left a note.
std::string absent_text(const std::string& fact, const MeasureSpec& measure,
                        const CaseSummary& summary) {
  const FactInfo* known = find_fact(fact);
  const auto needs = known != nullptr  ? known->needs
                     : is_metric(fact) ? FactNeeds::counters
                                       : FactNeeds::nothing;
  if (needs == FactNeeds::trace) {
    return fact + " was not traced" +
           (measure.trace ? reason_in(summary.notes, {"nothing traced: ", "no trace: "})
                          : " (measure.trace: true asks for it)");
  }
  if (needs == FactNeeds::counters) {
    return fact + " was not counted" +
           (measure.counters ? reason_in(summary.notes, {"nothing counted: ", "no counters: "})
                             : " (measure.counters: true asks for it)");
  }
  if (needs == FactNeeds::energy) {
    return fact + " was not measured" +
           (measure.energy ? reason_in(summary.notes, {"no energy: "})
                           : " (measure.energy: true asks for it)");
  }
  if (needs == FactNeeds::processes) {
    return fact + " is known from " + std::to_string(fewest_processes_for_interval) +
           " processes on, and " + std::to_string(summary.processes) + " measured the case";
  }
  if (fact == "share_of_ceiling") {
    return fact + " is not known: bench ceilings has not measured this device";
  }
  return fact + " was not measured";
}

/// "findings are aliased-streams (warning), memory-bound (note)".
std::string findings_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += (text.empty() ? "" : ", ") + finding.id + " (" +
            std::string(to_string(finding.severity)) + ")";
  }
  return "findings are " + (text.empty() ? "none" : text);
}

/// `none`: no warning. An id: it is there. Not an id: it is not.
bool findings_hold(const Condition& condition, const std::vector<Finding>& findings) {
  const auto* id = std::get_if<std::string>(&condition.operands.front());
  if (id == nullptr) return false;
  const bool none = *id == no_findings;
  const bool found = std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return none ? finding.severity == Severity::warning : finding.id == *id;
  });
  return found == (!none && condition.comparator == Comparator::eq);
}

/// The fact with its 95 % interval. Rates and shares have that of the time that they are divided
/// by. `command`: its rates are read, and are no quotients of ours.
Estimate with_interval(const std::string& fact, double value, const CaseSummary& summary,
                       bool command) {
  Estimate estimate{.value = value, .low = value, .high = value};
  const auto& time = summary.time_s;
  const auto other = [&](const char* name) {
    const auto found = summary.facts.find(name);
    return found == summary.facts.end() ? value : found->second;
  };
  const bool is_rate = fact == "bandwidth" || fact == "flops" || fact == "share_of_peak" ||
                       fact == "share_of_ceiling";
  if (fact == "time" && time.has_interval()) return time;
  if (fact == "energy")
    return {.value = value, .low = other("energy_low"), .high = other("energy_high")};
  if (is_rate && !command && time.has_interval()) {
    estimate.low = value * time.value / time.high;
    estimate.high = value * time.value / time.low;
  }
  if (summary.delta && summary.delta->has_interval()) {
    const auto& [delta, low, high] = *summary.delta;
    if (fact == "delta") return *summary.delta;
    if (fact == "speedup") return {.value = value, .low = 1 / (1 + high), .high = 1 / (1 + low)};
  }
  return estimate;
}

/// Met or missed where that is so at both ends of the interval. That two numbers are equal is asked
/// of the number itself.
RuleState state_of(const Condition& condition, const Estimate& fact, const Params& params) {
  const auto holds_at = [&](double value) { return holds(condition, value, params); };
  const bool is_ordered = condition.comparator != Comparator::eq &&
                          condition.comparator != Comparator::ne &&
                          condition.comparator != Comparator::is_one_of;
  const bool met = holds_at(fact.value);
  if (is_ordered && (holds_at(fact.low) != met || holds_at(fact.high) != met)) {
    return RuleState::undecided;
  }
  return met ? RuleState::met : RuleState::missed;
}

ExpectationOutcome hold(const Expectation& expectation, const Experiment& experiment,
                        const CaseSummary& summary) {
  ExpectationOutcome outcome;
  outcome.case_index = summary.info->index;
  outcome.rule = rule_text(expectation);
  outcome.place = expectation.place;
  outcome.state = RuleState::undecided;
  const auto fact = summary.facts.find(expectation.fact);
  if (expectation.fact == findings_key) {
    // What an untraced case does wrong is not seen, so that "none" would say nothing.
    const bool traced = summary.facts.count("span") > 0;
    outcome.observed = traced ? findings_text(summary.findings) : "the case was not traced";
    if (!traced) return outcome;
    outcome.state =
        findings_hold(expectation.condition, summary.findings) ? RuleState::met : RuleState::missed;
  } else if (fact == summary.facts.end()) {
    outcome.observed = absent_text(expectation.fact, experiment.measure, summary);
  } else {
    const auto& params = summary.info->params;
    const auto estimate =
        with_interval(expectation.fact, fact->second, summary, experiment.command.has_value());
    outcome.state = state_of(expectation.condition, estimate, params);
    outcome.observed =
        observed_text(expectation, estimate, outcome.state, params, experiment.command);
  }
  return outcome;
}

}  // namespace

bool selects(const Expectation& expectation, const Case& c) {
  const FactInfo* fact = find_fact(expectation.fact);
  if (fact != nullptr && fact->needs == FactNeeds::baseline && !c.baseline) return false;
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
        outcomes.push_back(hold(expectation, result.plan.experiments[e], *summary));
      }
      // A rule that selects nothing was told of when the plan was made, unless its cases were found
      // since. One whose cases all came to nothing must not pass in silence.
      const bool of_found = expectation.narrowed_by == found_later && !of_experiment[e].empty();
      if (selected == nullptr && of_found) selected = of_experiment[e].front();
      if (selected == nullptr || measured) continue;
      outcomes.push_back({selected->info->index, rule_text(expectation), "selects no measured case",
                          RuleState::undecided, expectation.place});
    }
  }
  return outcomes;
}

}  // namespace apod::plan
