#include "benchmarks/plan/rule_check.hpp"

#include <algorithm>

#include "benchmarks/base/facts.hpp"

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
  MatchSet any;      ///< by any case
  MatchSet running;  ///< by one that runs
  MatchTable table;
};

Selection selection_of(const std::vector<Expectation>& rules, std::span<const Case> cases) {
  std::vector<const Match*> wheres;
  MatchSet comparing(rules.size());
  for (std::size_t r = 0; r < rules.size(); ++r) {
    wheres.push_back(&rules[r].where);
    if (compares(rules[r])) comparing.add(r);
  }
  Selection selection{MatchSet(rules.size()), MatchSet(rules.size()),
                      MatchTable(wheres, cases.empty() ? Params{} : cases.front().params)};
  for (const auto& c : cases) {
    selection.table.of(c.params).each([&](std::size_t r) {
      if (comparing.has(r) && !c.baseline) return;
      selection.any.add(r);
      if (runs(c)) selection.running.add(r);
    });
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
    if (selection.any.has(r)) continue;
    if (rules[r].narrowed_by != Narrowing::none) {
      ++idle_[rules[r].narrowed_by];
    } else if (selection.table.met().has(r)) {
      diagnostics.push_back(explain_baseline(rules[r], file));
    } else {
      const auto reason = selection.table.why_not(r);
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
      const bool selected = selection.any.has(r);
      if (selected_before_[e].has(r) && !selected) ++idle_[Narrowing::filter];
      if (selected && any_runs && !selection.running.has(r)) ++on_skipped_;
    }
  }
  for (const auto& c : plan.cases) {
    if (runs(c) && c.baseline && !runs(plan.cases.at(*c.baseline))) ++without_baseline_;
  }
}

std::vector<std::string> RuleCheck::notes() const {
  std::vector<std::string> lines;
  for (const auto& [cause, count] : idle_) {
    lines.push_back(rules_select(count) + " no case of this run (" + std::string(to_string(cause)) +
                    ")");
  }
  if (on_skipped_ > 0) {
    lines.push_back(rules_select(on_skipped_) + " skipped cases only, and will count as missed");
  }
  if (without_baseline_ > 0) {
    lines.push_back(std::to_string(without_baseline_) +
                    (without_baseline_ == 1 ? " case has" : " cases have") +
                    " a baseline that is skipped, and will have no delta");
  }
  return lines;
}

}  // namespace apod::plan
