#include "benchmarks/plan/rule_check.hpp"

#include <algorithm>
#include <utility>

#include "benchmarks/base/facts.hpp"
#include "benchmarks/plan/matches.hpp"

namespace apod::plan {
namespace {

bool runs(const Case& c) {
  return c.skip.empty();
}

bool compares(const Expectation& rule) {
  const auto* fact = find_fact(rule.fact);
  return fact != nullptr && fact->needs == FactNeeds::baseline;
}

/// The rules that some cases are asked.
struct Selection {
  std::vector<bool> any;      ///< by any case
  std::vector<bool> running;  ///< by one that runs
  Matches wheres;
};

Selection selection_of(const std::vector<Expectation>& rules, std::span<const Case> cases) {
  std::vector<const Match*> wheres;
  for (const auto& rule : rules) wheres.push_back(&rule.where);
  Selection selection{std::vector<bool>(rules.size()), std::vector<bool>(rules.size()),
                      Matches(std::move(wheres))};
  for (const auto& c : cases) {
    const auto& holds = selection.wheres.hold(c.params);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      if (!holds[r] || (!c.baseline && compares(rules[r]))) continue;
      selection.any[r] = true;
      if (runs(c)) selection.running[r] = true;
    }
  }
  return selection;
}

/// The cases of each experiment, which stand together.
std::vector<std::span<const Case>> by_experiment(const Plan& plan) {
  std::vector<std::span<const Case>> cases;
  auto first = plan.cases.begin();
  for (std::size_t e = 0; e < plan.experiments.size(); ++e) {
    const auto last =
        std::find_if(first, plan.cases.end(), [&](const Case& c) { return c.experiment != e; });
    cases.emplace_back(first, last);
    first = last;
  }
  return cases;
}

Diagnostic explain_baseline(const Expectation& rule, const std::string& file) {
  return {file, rule.place,
          "'" + rule.fact +
              "' is asked of no case: none that the rule selects is compared with another",
          "the baseline is not compared with itself"};
}

std::string rules_select(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " expect rule selects" : " expect rules select");
}

}  // namespace

void RuleCheck::before_filter(const Experiment& experiment, const std::string& file,
                              std::span<const Case> cases, Diagnostics& diagnostics) {
  const auto& rules = experiment.expectations;
  auto selection = selection_of(rules, cases);
  for (std::size_t r = 0; r < rules.size(); ++r) {
    if (selection.any[r]) continue;
    if (!rules[r].narrowed_by.empty()) {
      ++idle_[rules[r].narrowed_by];
    } else if (selection.wheres.has_held(r)) {
      diagnostics.push_back(explain_baseline(rules[r], file));
    } else {
      const auto reason = selection.wheres.why_not(r);
      diagnostics.push_back(
          {file, rules[r].where_place, "'where' selects no case: " + reason.message, reason.hint});
    }
  }
  selected_before_.push_back(std::move(selection.any));
}

void RuleCheck::after_filter(const Plan& plan) {
  const auto cases = by_experiment(plan);
  for (std::size_t e = 0; e < plan.experiments.size(); ++e) {
    const auto& rules = plan.experiments[e].expectations;
    const auto selection = selection_of(rules, cases[e]);
    const bool any_runs = std::any_of(cases[e].begin(), cases[e].end(), runs);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      const bool selected = selection.any[r];
      if (selected_before_[e][r] && !selected) ++idle_["--filter or --only"];
      if (selected && any_runs && !selection.running[r]) ++on_skipped_;
    }
  }
  for (const auto& c : plan.cases) {
    if (runs(c) && c.baseline && !runs(plan.cases.at(*c.baseline))) ++without_baseline_;
  }
}

std::vector<std::string> RuleCheck::notes() const {
  std::vector<std::string> lines;
  for (const auto& [cause, count] : idle_) {
    lines.push_back(rules_select(count) + " no case of this run (" + cause + ")");
  }
  if (on_skipped_ > 0) {
    lines.push_back(rules_select(on_skipped_) + " skipped cases only, and will be undecided");
  }
  if (without_baseline_ > 0) {
    lines.push_back(std::to_string(without_baseline_) +
                    (without_baseline_ == 1 ? " case has" : " cases have") +
                    " a baseline that is skipped, and will have no delta");
  }
  return lines;
}

}  // namespace apod::plan
