#include "benchmarks/plan/expect.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/text/units.hpp"

namespace apod::plan {
namespace {

/// "distinct_streams == streams".
std::string rule_text(const Expectation& expectation) {
  return to_string(expectation.fact, expectation.condition);
}

/// "distinct_streams is 1, streams is 4": the fact and the axes that it was compared with. Where
/// the interval decides, "speedup is 1.4, between 0.99 and 1.9".
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
std::string absent_text(const std::string& fact, const Experiment& experiment,
                        const CaseSummary& summary) {
  const auto& measure = experiment.measure;
  const FactInfo* known = find_fact(fact);
  const auto needs = known != nullptr  ? known->needs
                     : is_metric(fact) ? FactNeeds::counters
                                       : FactNeeds::nothing;
  if (needs == FactNeeds::trace) {
    return fact + " was not traced" +
           (measure.trace ? reason_in(summary.notes, {"nothing traced: ", "no trace: "})
                          : " (to trace, set measure.trace: true)");
  }
  if (needs == FactNeeds::counters) {
    return fact + " was not counted" +
           (measure.counters ? reason_in(summary.notes, {"nothing counted: ", "no counters: "})
                             : " (to count, set measure.counters: true)");
  }
  if (needs == FactNeeds::energy) {
    return fact + " was not measured" +
           (measure.energy ? reason_in(summary.notes, {"no energy: "})
                           : " (to measure energy, set measure.energy: true)");
  }
  if (needs == FactNeeds::processes) {
    return fact + " needs " + std::to_string(fewest_processes_for_interval) + " processes, but " +
           text::format_count(summary.value("processes")) + " measured the case";
  }
  if (fact == "share_of_ceiling" && summary.fact("bus_bandwidth") != nullptr) {
    return fact +
           " is not known: the links between the GPUs were not measured (to measure them: bench "
           "ceilings --device all)";
  }
  if (fact == "share_of_ceiling" && experiment.command)
    return fact + " is not known: bench does not know the bytes or operations of a command";
  if (fact == "share_of_ceiling")
    return fact + " is not known: this device has no ceilings (to measure them: bench ceilings)";
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

/// The fact with its 95 % interval, which is a point where none is known; none where the case lacks
/// it.
std::optional<Estimate> estimate_of(const std::string& name, const CaseSummary& summary) {
  const auto value = summary.number(name);
  if (!value) return std::nullopt;
  const auto* fact = summary.fact(name);
  if (fact != nullptr && fact->has_interval()) return *fact;
  return Estimate{.value = *value, .low = *value, .high = *value};
}

/// Met or missed where that is so at both ends of the interval. That two numbers are equal is asked
/// of the number itself.
RuleState state_of(const Condition& condition, const Estimate& fact, const Params& params) {
  const auto holds_at = [&](double value) { return holds(condition, value, params); };
  const bool is_ordered = condition.comparator != Comparator::eq &&
                          condition.comparator != Comparator::ne &&
                          condition.comparator != Comparator::is_one_of;
  const bool met = holds_at(fact.value);
  if (is_ordered && (holds_at(fact.low) != met || holds_at(fact.high) != met))
    return RuleState::undecided;
  return met ? RuleState::met : RuleState::missed;
}

ExpectationOutcome hold(const Expectation& expectation, const Experiment& experiment,
                        const CaseSummary& summary) {
  ExpectationOutcome outcome;
  outcome.case_index = summary.info->index;
  outcome.rule = rule_text(expectation);
  outcome.place = expectation.place;
  outcome.state = RuleState::undecided;
  const auto fact = estimate_of(expectation.fact, summary);
  if (expectation.fact == findings_key) {
    // What an untraced case does wrong is not seen, so that "none" would say nothing.
    const bool traced = summary.fact("span") != nullptr;
    outcome.observed = traced ? findings_text(summary.findings) : "the case was not traced";
    if (!traced) return outcome;
    outcome.state =
        findings_hold(expectation.condition, summary.findings) ? RuleState::met : RuleState::missed;
  } else if (!fact) {
    outcome.observed = absent_text(expectation.fact, experiment, summary);
  } else {
    const auto& params = summary.info->params;
    outcome.state = state_of(expectation.condition, *fact, params);
    outcome.observed = observed_text(expectation, *fact, outcome.state, params, experiment.command);
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
  for (const CaseSummary& summary : summaries)
    of_experiment.at(summary.info->experiment).push_back(&summary);
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
      const auto add = [&](const CaseSummary* about, RuleState state) {
        outcomes.push_back({about->info->index, rule_text(expectation),
                            "the rule selects no measured case", state, expectation.place});
      };
      if (selected != nullptr && !measured) add(selected, RuleState::undecided);
      // A plan names the rules that select nothing. This one selects among cases that are found
      // later, and its case has gone: it guards nothing.
      if (selected == nullptr && expectation.narrowed_by == Narrowing::found_later &&
          !of_experiment[e].empty())
        add(of_experiment[e].front(), RuleState::missed);
    }
  }
  return outcomes;
}

}  // namespace apod::plan
