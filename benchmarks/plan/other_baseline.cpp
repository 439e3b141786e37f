#include "benchmarks/plan/other_baseline.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace apod::plan {
namespace {

/// The values on these axes: equal for a case and its baseline.
std::string values_on(const std::vector<std::string>& axes, const Params& params) {
  std::string text;
  for (const auto& axis : axes) text += to_string(*params.find(axis)) + "\n";
  return text;
}

class Linker {
 public:
  Linker(Plan& plan, std::size_t experiment, std::size_t other)
      : plan_(plan), experiment_(experiment), other_(other) {}

  /// The mistake, or empty.
  std::string link() {
    const auto& named = plan_.experiments[experiment_].baseline;
    const auto own = cases_of(experiment_);
    const auto others = cases_of(other_);
    if (own.empty() || others.empty()) return "";  // reported, or left out by a filter
    std::vector<std::string> axes;
    for (const auto& entry : plan_.cases[others.front()].params.entries()) {
      if (plan_.cases[own.front()].params.has(entry.first)) axes.push_back(entry.first);
    }
    std::multimap<std::string, std::size_t> by_values;
    for (const auto i : others) by_values.emplace(values_on(axes, plan_.cases[i].params), i);
    std::size_t linked = 0;
    for (const auto i : own) {
      Params params = plan_.cases[i].params;
      for (const auto& [name, value] : named.entries()) params.set(name, value);
      const auto [first, last] = by_values.equal_range(values_on(axes, params));
      if (first == last) continue;
      if (std::next(first) != last) {
        return "more than one case could be the baseline of " + plan_.cases[i].id + ": " +
               plan_.cases[first->second].id + " and " + plan_.cases[std::next(first)->second].id;
      }
      plan_.cases[i].baseline = first->second;
      ++linked;
    }
    return linked > 0 ? "" : "none of its cases has the values of a case here";
  }

 private:
  std::vector<std::size_t> cases_of(std::size_t experiment) const {
    std::vector<std::size_t> found;
    for (const auto& c : plan_.cases) {
      if (c.experiment == experiment) found.push_back(c.index);
    }
    return found;
  }

  Plan& plan_;
  std::size_t experiment_;
  std::size_t other_;
};

}  // namespace

void link_other_baselines(Plan& plan, const ExperimentConfig& config, Diagnostics& diagnostics) {
  const auto& all = plan.experiments;
  for (std::size_t e = 0; e < all.size(); ++e) {
    if (all[e].baseline_of.empty()) continue;
    const auto report = [&](const std::string& problem, const std::string& hint) {
      diagnostics.push_back({config.path, all[e].baseline_place,
                             "the baseline of experiment '" + all[e].name + "' is of '" +
                                 all[e].baseline_of + "', but " + problem,
                             hint});
    };
    const auto other = std::find_if(all.begin(), all.end(), [&](const Experiment& one) {
      return one.name == all[e].baseline_of;
    });
    if (other == all.end()) continue;
    if (!other->baseline_of.empty() || &*other == &all[e]) {
      report("that one has its own baseline elsewhere", "name the experiment that both have");
      continue;
    }
    const auto at = static_cast<std::size_t>(other - all.begin());
    if (const auto problem = Linker(plan, e, at).link(); !problem.empty()) {
      report(problem, "name the axis values of the baseline: {experiment: " + other->name +
                          ", axis: value}");
    }
  }
}

}  // namespace apod::plan
