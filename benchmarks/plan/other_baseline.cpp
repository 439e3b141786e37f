#include "benchmarks/plan/other_baseline.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/plan/points.hpp"

namespace apod::plan {
namespace {

/// The values on these axes: equal for a case and its baseline.
std::string values_on(const std::vector<std::string>& axes, const Params& params) {
  std::string text;
  for (const auto& axis : axes) text += to_string(*params.find(axis)) + "\n";
  return text;
}

std::vector<std::size_t> cases_of(const Plan& plan, std::size_t experiment) {
  std::vector<std::size_t> found;
  for (const auto& c : plan.cases) {
    if (c.experiment == experiment) found.push_back(c.index);
  }
  return found;
}

struct Outcome {
  std::string problem{};  ///< empty: none
  std::string hint{};
  std::string note{};  ///< of cases without a baseline
};

Outcome link(Plan& plan, const Registry& registry, std::size_t experiment, std::size_t other) {
  const auto defaults = usual_values(registry, plan.experiments[experiment]);
  const auto& named = plan.experiments[experiment].baseline;
  const auto own = cases_of(plan, experiment);
  const auto others = cases_of(plan, other);
  if (own.empty() || others.empty()) return {};          // reported, or left out by a filter
  std::map<std::string, std::vector<std::string>> axes;  // of both, by variant of the other
  std::set<std::string> shared;
  std::multimap<std::string, std::size_t> by_values;
  for (const auto i : others) {
    const auto& params = plan.cases[i].params;
    const auto [known, is_new] = axes.try_emplace(params.text("variant"));
    for (const auto& [axis, value] : params.entries()) {
      if (is_new && defaults.has(axis)) known->second.push_back(*shared.insert(axis).first);
    }
    by_values.emplace(values_on(known->second, params), i);
  }
  const auto& other_name = plan.experiments[other].name;
  for (const auto& [name, value] : named.entries()) {
    if (shared.contains(name)) continue;
    return {"the other experiment has no axis '" + name + "'", "leave it out"};
  }
  std::size_t linked = 0;
  for (const auto i : own) {
    const auto params = over(over(defaults, plan.cases[i].params), named);
    const auto& there = axes[params.text("variant")];
    const auto [first, last] = by_values.equal_range(values_on(there, params));
    if (first == last) continue;
    if (std::next(first) != last) {
      return {"several cases could be the baseline of " + plan.cases[i].id + ": " +
                  plan.cases[first->second].id + " and " + plan.cases[std::next(first)->second].id,
              "add to this experiment the axis in which these two cases differ"};
    }
    plan.cases[i].baseline = first->second;
    ++linked;
  }
  if (linked == 0) {
    return {
        "no case of this experiment has the same axis values as a case of the other experiment "
        "(an axis that is not named has its default value)",
        "name the axis values of the baseline: {experiment: " + other_name + ", axis: value}"};
  }
  Outcome outcome;
  if (linked < own.size()) {
    outcome.note = std::to_string(own.size() - linked) + " of " + std::to_string(own.size()) +
                   " cases of experiment '" + plan.experiments[experiment].name +
                   "' have no baseline in '" + other_name + "'";
  }
  return outcome;
}

}  // namespace

void link_other_baselines(Plan& plan, const ExperimentConfig& config, const Registry& registry,
                          Diagnostics& diagnostics, std::vector<std::string>& notes) {
  const auto& all = plan.experiments;
  for (std::size_t e = 0; e < all.size(); ++e) {
    if (all[e].baseline_of.empty()) continue;
    const auto report = [&](const std::string& problem, const std::string& hint) {
      diagnostics.push_back({config.path, all[e].baseline_place,
                             "the baseline of experiment '" + all[e].name + "' is in '" +
                                 all[e].baseline_of + "', but " + problem,
                             hint});
    };
    const auto other = std::ranges::find_if(
        all, [&](const Experiment& one) { return one.name == all[e].baseline_of; });
    if (other == all.end()) continue;
    if (&*other == &all[e]) {
      report("this is the same experiment", "write only axis values: {axis: value}");
      continue;
    }
    if (!other->baseline_of.empty()) {
      report("the other experiment has its own baseline in a third experiment",
             "name the third experiment in both baselines");
      continue;
    }
    auto outcome = link(plan, registry, e, static_cast<std::size_t>(other - all.begin()));
    if (!outcome.problem.empty()) report(outcome.problem, outcome.hint);
    if (!outcome.note.empty()) notes.push_back(std::move(outcome.note));
  }
}

}  // namespace apod::plan
