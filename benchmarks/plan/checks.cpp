#include "benchmarks/plan/checks.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "benchmarks/base/axes.hpp"
#include "benchmarks/base/text/units.hpp"
#include "benchmarks/plan/points.hpp"

namespace apod::plan {

namespace {

/// Each rule is checked against each case of its experiment, value by value. So many comparisons
/// take a second or two.
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

/// Operations of expressions for all cases; docs/security.md says how long they take.
constexpr Count most_operations = 100'000'000;

/// What an expression computes for a case: each number, word, name, function and operator is one.
/// To begin takes as long as three.
Count operations_in(std::string_view text) {
  if (text.empty()) return 0;
  const auto is_in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '\'';
  };
  Count all = 3;
  bool in_word = false;
  for (const char c : text) {
    const bool was_in_word = std::exchange(in_word, is_in_word(c));
    const bool is_silent = c == ' ' || c == '(' || c == ')' || c == ',' || c == '=';
    if (in_word ? !was_in_word : !is_silent) ++all;
  }
  return all;
}

/// The operations of the expressions that each case of the experiment is checked against.
Count operations_of_a_case(const Experiment& experiment) {
  Count all = 0;
  const auto add = [&](const auto& texts) {
    for (const auto& text : texts) all += operations_in(text);
  };
  for (const auto& where : experiment.where) all += operations_in(where.expression.text());
  if (!experiment.kernel) return all;
  const auto& spec = experiment.kernel->spec;
  for (const auto& launch : spec.launches) {
    for (const auto* texts : {&launch.grid, &launch.block, &launch.cluster}) add(*texts);
    all += operations_in(launch.shared);
  }
  for (const auto& arg : spec.args) {
    add(arg.shape);
    all += operations_in(arg.value);
  }
  for (const auto& [what, text] : spec.traffic) all += operations_in(text);
  return all;
}

/// What a plan may take, so that few long words can't exhaust the memory: a million cases of two
/// axes take some 0.7 GB.
constexpr double most_plan_bytes = 900 << 20;

/// About what a case of the experiment takes: itself, its axes, those with defaults too, and their
/// words.
double bytes_of_a_case(const Experiment& experiment, const Registry& registry) {
  constexpr double bare = 330;
  constexpr double bytes_of_an_axis = 160;  // in the parameters, and in the id, which is held twice
  double bytes = bare + 2 * static_cast<double>(experiment.name.size());
  std::set<std::string> names;
  if (const auto* family = registry.family(experiment.workload)) {
    for (const auto& axis : family->axes()) names.insert(axis.name);
  }
  for (const auto& axis : all_axes(experiment)) {
    names.insert(axis.name);
    double words = 0;
    for (const auto& value : axis.values) words += static_cast<double>(to_string(value).size());
    const auto mean = words / static_cast<double>(std::max<std::size_t>(axis.values.size(), 1));
    constexpr double short_word = 8;
    bytes += 3 * std::max(mean - short_word, 0.0);
  }
  bytes += bytes_of_an_axis * static_cast<double>(names.size());
  return bytes;
}

}  // namespace

std::optional<std::size_t> count_within_limits(const ExperimentConfig& config,
                                               const Registry& registry, std::size_t max_cases,
                                               Diagnostics& diagnostics) {
  Count total = 0;
  Count checks = 0;
  Count operations = 0;
  double bytes = 0;
  SourcePlace place;
  for (const auto& experiment : config.experiments) {
    const bool was_within = total <= max_cases;
    const Count cases = count_cases(experiment);
    total = saturating_sum(total, cases);
    if (was_within && total > max_cases) place = experiment.place;
    bytes += static_cast<double>(cases) * bytes_of_a_case(experiment, registry);
    const auto refuse = [&](const std::string& message) {
      diagnostics.push_back({config.path, experiment.place, message,
                             "use fewer or shorter values and rules, or several files"});
      return std::nullopt;
    };
    if (total <= max_cases && bytes > most_plan_bytes) {
      return refuse(std::to_string(total) + " cases with these axes and names would need " +
                    text::format_bytes(bytes) + " of memory, but the limit is " +
                    text::format_bytes(most_plan_bytes));
    }
    const auto of_a_case = operations_of_a_case(experiment);
    operations = saturating_sum(operations, saturating_product(cases, of_a_case));
    if (total <= max_cases && operations > most_operations) {
      return refuse("expressions of " + std::to_string(of_a_case) + " operations for " +
                    std::to_string(cases) + " cases take too long to evaluate");
    }
    checks = saturating_sum(checks, saturating_product(cases, rule_checks(experiment)));
    if (total <= max_cases && checks > most_rule_checks) {
      const auto rules = experiment.exclude.size() + experiment.expectations.size();
      return refuse("the " + std::to_string(rules) + " rules for " + std::to_string(cases) +
                    " cases take too long to check");
    }
  }
  if (total <= max_cases) return static_cast<std::size_t>(total);
  const bool saturated = total == std::numeric_limits<Count>::max();
  diagnostics.push_back({config.path, place,
                         "the axes have " + (saturated ? "more than 2^64" : std::to_string(total)) +
                             " combinations, but the limit is " + std::to_string(max_cases),
                         "use fewer values or several files"});
  return std::nullopt;
}

SourcePlace place_of_value(const Experiment& experiment, const std::string& name,
                           const AxisValue& value, SourcePlace otherwise) {
  const auto* axis = axis_called(experiment, name);
  if (axis == nullptr) return otherwise;
  const auto found = std::ranges::find(axis->values, value);
  const auto at = static_cast<std::size_t>(found - axis->values.begin());
  const bool is_known = found != axis->values.end() && at < axis->places.size();
  return is_known && axis->places[at].line > 0 ? axis->places[at] : otherwise;
}

namespace {

/// Why the file's array is too small for the size; nothing when it is large enough. An integer is a
/// number of values, a shape is that of an image.
std::optional<std::string> misfit(Shape held, const AxisSpec& spec, const Params& params) {
  if (spec.kind == AxisSpec::Kind::shape) return too_small(held, params.shape(spec.name));
  return too_small(held, params.integer(spec.name));
}

void check_experiment(const Experiment& experiment, const std::string& file,
                      const std::vector<const Case*>& cases, const Family& family,
                      Diagnostics& diagnostics) {
  const auto axes = family.axes();
  const auto* spec = find_axis(axes, size_axis);
  if (spec == nullptr) return;
  Shape held;
  try {
    held = array_shape(experiment.data.file);
  } catch (const std::runtime_error& error) {
    diagnostics.push_back({file, experiment.data_place, std::string("data: ") + error.what(), ""});
    return;
  }
  const auto name = std::filesystem::path(experiment.data.file).filename().string();
  std::set<AxisValue> seen;
  for (const auto* c : cases) {
    const auto& size = *c->params.find(size_axis);
    if (!seen.insert(size).second) continue;
    if (const auto reason = misfit(held, *spec, c->params)) {
      diagnostics.push_back({file,
                             place_of_value(experiment, size_axis, size, experiment.data_place),
                             name + " is too small for size " + to_string(size) + ": it " + *reason,
                             "use a smaller size or a larger file"});
    }
  }
}

}  // namespace

void check_data(const ExperimentConfig& config, const Plan& plan, const Registry& registry,
                Diagnostics& diagnostics) {
  std::vector<std::vector<const Case*>> cases(plan.experiments.size());
  for (const auto& c : plan.cases) {
    if (c.skip.empty()) cases[c.experiment].push_back(&c);
  }
  for (std::size_t e = 0; e < cases.size(); ++e) {
    const auto& experiment = config.experiments[e];
    const auto* family = registry.family(experiment.workload);
    if (cases[e].empty() || family == nullptr) continue;
    if (experiment.data.kind != DataSpec::Kind::file) continue;
    check_experiment(experiment, config.path, cases[e], *family, diagnostics);
  }
}

void check_gpu_measures(const ExperimentConfig& config, const Plan& plan,
                        Diagnostics& diagnostics) {
  std::set<std::size_t> said;
  for (const auto& c : plan.cases) {
    const auto& measure = plan.experiment_of(c).measure;
    const bool steady = measure.clocks == ClockMode::steady;
    if (c.backend != BackendKind::host || !c.skip.empty() || !(steady || measure.energy)) continue;
    if (plan.experiment_of(c).command) continue;  // its result says that it has neither
    if (!said.insert(c.experiment).second) continue;
    const auto& experiment = config.experiments[c.experiment];
    const std::string key = steady ? "clocks: steady" : "energy: true";
    diagnostics.push_back({config.path, experiment.measure_place,
                           key + " needs a GPU, but " + c.id + " runs on the host",
                           "write host: {measure: {" +
                               std::string(steady ? "clocks: burst" : "energy: false") +
                               "}}, or leave out the host variants"});
  }
}

std::string unchecked_metrics(const ExperimentConfig& config, const Registry& registry) {
  for (const auto& experiment : config.experiments) {
    if (experiment.measure.metrics.empty()) continue;
    const auto* backend = registry.backend(BackendKind::cuda);
    const bool can_ask = backend != nullptr && backend->check_metric;
    const auto why = can_ask ? backend->check_metric(experiment.measure.metrics.front()).unchecked
                             : std::string("this build has no CUDA backend");
    if (!why.empty()) return "the metrics under 'counters' were not checked: " + why;
  }
  return "";
}

}  // namespace apod::plan
