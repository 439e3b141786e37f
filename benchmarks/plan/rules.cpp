#include "benchmarks/plan/rules.hpp"

#include <algorithm>

#include "benchmarks/model/condition.hpp"
#include "benchmarks/model/facts.hpp"
#include "benchmarks/plan/expect.hpp"
#include "benchmarks/plan/values_text.hpp"

namespace apod::plan {
namespace {

using Cases = std::vector<const Case*>;

std::vector<Cases> cases_of_experiments(const Plan& plan) {
  std::vector<Cases> cases(plan.experiments.size());
  for (const auto& c : plan.cases) cases[c.experiment].push_back(&c);
  return cases;
}

bool runs(const Case& c) {
  return c.skip.empty();
}

template <class Predicate>
bool any_of(const Cases& cases, Predicate predicate) {
  return std::any_of(cases.begin(), cases.end(), [&](const Case* c) { return predicate(*c); });
}

/// "streams is 1, 2 or 4".
std::string values_that_exist(const std::string& axis, const Cases& cases) {
  std::vector<AxisValue> values;
  for (const auto* c : cases) {
    const auto* value = c->params.find(axis);
    if (value == nullptr || std::find(values.begin(), values.end(), *value) != values.end())
      continue;
    values.push_back(*value);
    if (values.size() > most_values_shown) break;
  }
  return values_text(axis, std::move(values));
}

/// Why no case meets all of `where`: the first condition that none meets, or all of them together.
Diagnostic explain_where(const Expectation& rule, const std::string& file, const Cases& cases) {
  for (const auto& condition : rule.where) {
    if (any_of(cases, [&](const Case& c) { return matches({condition}, c.params); })) continue;
    return {file, rule.where_place,
            "'where' selects no case: none has " + to_string(condition.first, condition.second),
            values_that_exist(condition.first, cases)};
  }
  return {file, rule.where_place, "'where' selects no case: none meets all of it at once",
          "--dry-run shows the cases when nothing is wrong"};
}

bool compares(const Expectation& rule) {
  const auto* fact = find_fact(rule.fact);
  return fact != nullptr && fact->needs == FactNeeds::baseline;
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

void RuleCheck::before_filter(const ExperimentConfig& config, const Plan& plan,
                              const std::vector<bool>& baseline_found, Diagnostics& diagnostics) {
  const auto cases = cases_of_experiments(plan);
  selected_before_.resize(plan.experiments.size());
  for (std::size_t e = 0; e < plan.experiments.size(); ++e) {
    const auto& experiment = config.experiments[e];
    const bool in_doubt = !experiment.baseline_known ||
                          (!experiment.baseline.entries().empty() && !baseline_found[e]);
    for (const auto& rule : plan.experiments[e].expectations) {
      const bool selected = any_of(cases[e], [&](const Case& c) { return selects(rule, c); });
      selected_before_[e].push_back(selected);
      if (selected || cases[e].empty()) continue;
      const bool lacks_baseline = compares(rule) && any_of(cases[e], [&](const Case& c) {
                                    return matches(rule.where, c.params);
                                  });
      if (lacks_baseline && in_doubt) continue;
      if (!rule.narrowed_by.empty()) {
        ++idle_[rule.narrowed_by];
      } else {
        diagnostics.push_back(lacks_baseline ? explain_baseline(rule, config.path)
                                             : explain_where(rule, config.path, cases[e]));
      }
    }
  }
}

void RuleCheck::after_filter(const Plan& plan) {
  const auto cases = cases_of_experiments(plan);
  for (std::size_t e = 0; e < plan.experiments.size(); ++e) {
    const auto& rules = plan.experiments[e].expectations;
    for (std::size_t r = 0; r < rules.size(); ++r) {
      const bool selected = any_of(cases[e], [&](const Case& c) { return selects(rules[r], c); });
      if (selected_before_[e][r] && !selected) ++idle_["--filter or --only"];
      if (selected && any_of(cases[e], runs) &&
          !any_of(cases[e], [&](const Case& c) { return runs(c) && selects(rules[r], c); })) {
        ++on_skipped_;
      }
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
