#include "benchmarks/plan/limits.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "benchmarks/plan/points.hpp"

namespace apod::plan {
namespace {

/// Each rule is held against each case of its experiment, value by value. So many comparisons take
/// a second or two.
constexpr Count most_rule_checks = 50'000'000;

/// How many comparisons the rules of an experiment take for a case.
Count rule_checks(const Experiment& experiment) {
  Count values = 0;
  const auto add = [&](const Match& match) {
    for (const auto& [axis, condition] : match) values += condition.operands.size();
  };
  for (const auto& exclusion : experiment.exclude) add(exclusion.match);
  for (const auto& rule : experiment.expectations) add(rule.where);
  return values;
}

/// A character of an expression, for one case: some 3 ns.
constexpr Count most_characters = 2'000'000'000;

/// Characters of the expressions that each case of the experiment is held against.
Count characters_of_expressions(const Experiment& experiment) {
  std::size_t all = 0;
  for (const auto& where : experiment.where) all += where.expression.text().size();
  if (!experiment.kernel) return all;
  const auto add = [&](const std::vector<std::string>& texts) {
    for (const auto& text : texts) all += text.size();
  };
  const auto& spec = experiment.kernel->spec;
  for (const auto& launch : spec.launches) {
    for (const auto* texts : {&launch.grid, &launch.block, &launch.cluster}) add(*texts);
    all += launch.shared.size();
  }
  for (const auto& arg : spec.args) {
    add(arg.shape);
    all += arg.value.size();
  }
  for (const auto& [what, text] : spec.traffic) all += text.size();
  return all;
}

/// What a plan may take, so that few long words can't exhaust the memory: a million usual cases
/// take some 0.9 GB.
constexpr double most_plan_bytes = 1.5e9;

/// About what a case of the experiment takes: itself, its axes, and its id, which is held twice.
double bytes_of_a_case(const Experiment& experiment) {
  constexpr double bare = 500;
  constexpr double bytes_of_an_axis = 64;
  double bytes = bare + 2 * static_cast<double>(experiment.name.size());
  for (const auto& group : experiment.groups) {
    for (const auto& axis : group.axes) {
      double words = 0;
      for (const auto& value : axis.values) words += static_cast<double>(to_string(value).size());
      const auto mean = words / static_cast<double>(std::max<std::size_t>(axis.values.size(), 1));
      bytes += bytes_of_an_axis + 3 * (mean + static_cast<double>(axis.name.size()));
    }
  }
  return bytes;
}

}  // namespace

std::optional<std::size_t> count_within_limits(const ExperimentConfig& config,
                                               std::size_t max_cases, Diagnostics& diagnostics) {
  Count total = 0;
  Count checks = 0;
  Count characters = 0;
  double bytes = 0;
  SourcePlace place;
  for (const auto& experiment : config.experiments) {
    const bool was_within = total <= max_cases;
    const Count cases = count_cases(experiment);
    total = saturating_sum(total, cases);
    if (was_within && total > max_cases) place = experiment.place;
    bytes += static_cast<double>(cases) * bytes_of_a_case(experiment);
    if (total <= max_cases && bytes > most_plan_bytes) {
      diagnostics.push_back({config.path, experiment.place,
                             "the names of " + std::to_string(total) + " cases would take " +
                                 std::to_string(static_cast<Count>(bytes / 1e9)) + " GB of memory",
                             "use shorter values, fewer of them, or more than one file"});
      return std::nullopt;
    }
    const auto expressions = characters_of_expressions(experiment);
    characters = saturating_sum(characters, saturating_product(cases, expressions));
    if (total <= max_cases && characters > most_characters) {
      diagnostics.push_back({config.path, experiment.place,
                             "expressions of " + std::to_string(expressions) + " characters for " +
                                 std::to_string(cases) + " cases take too long to evaluate",
                             "use fewer of either, or more than one file"});
      return std::nullopt;
    }
    checks = saturating_sum(checks, saturating_product(cases, rule_checks(experiment)));
    if (total <= max_cases && checks > most_rule_checks) {
      diagnostics.push_back(
          {config.path, experiment.place,
           "the " + std::to_string(experiment.exclude.size() + experiment.expectations.size()) +
               " rules for " + std::to_string(cases) + " cases take too long to check",
           "use fewer of either, or more than one file"});
      return std::nullopt;
    }
  }
  if (total <= max_cases) return static_cast<std::size_t>(total);
  const bool saturated = total == std::numeric_limits<Count>::max();
  diagnostics.push_back({config.path, place,
                         "the product of the axes is " +
                             (saturated ? "more than 2^64" : std::to_string(total)) +
                             " cases, and the limit is " + std::to_string(max_cases),
                         "use fewer values or more than one file"});
  return std::nullopt;
}

}  // namespace apod::plan
