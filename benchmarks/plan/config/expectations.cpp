#include "benchmarks/plan/config/expectations.hpp"

#include <algorithm>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/facts.hpp"
#include "benchmarks/base/finding.hpp"
#include "benchmarks/base/measured_by.hpp"
#include "benchmarks/base/text/closest.hpp"

namespace apod::config {
namespace {

/// Facts are numbers, so a word must name an axis of numbers. Those have no unit.
void check_operands(const AllowedAxes& axes, const Field& field, const FactInfo& fact,
                    const Condition& condition, Problems& problems) {
  for (const auto& operand : condition.operands) {
    const auto* word = std::get_if<std::string>(&operand);
    if (word == nullptr) continue;
    const auto* axis = find_axis(axes.specs, *word);
    const bool counts = axis != nullptr && axis->kind == AxisSpec::Kind::integer;
    if (counts && !text::demands_unit(fact.unit)) continue;
    if (counts) {
      problems.add(place_of(field), field.key + ": the values of axis '" + *word + "' have no unit",
                   text::parse_quantity("1", fact.unit).hint + ", for example");
      continue;
    }
    std::vector<std::string> names;
    for (const auto& spec : axes.specs) {
      if (spec.kind == AxisSpec::Kind::integer) names.push_back(spec.name);
    }
    const auto hint =
        text::did_you_mean(text::closest(*word, names),
                           "write a number, such as 1e-5, 30% or 5ms, or an axis, such as " +
                               (names.empty() ? std::string("size") : names.back()));
    problems.add(
        place_of(field),
        field.key + ": " + in_quotes(*word) + " is neither a number nor an axis of numbers", hint);
  }
}

/// A fact that compares needs a baseline to be compared with.
void check_compared(const Field& field, const FactInfo& fact, const std::optional<Params>& baseline,
                    int baseline_line, Problems& problems) {
  if (fact.needs != FactNeeds::baseline || !baseline || !baseline->entries().empty()) return;
  problems.add(
      field.place,
      "'" + field.key + "' is known only against a baseline, and " +
          (baseline_line > 0 ? "'baseline' at line " + std::to_string(baseline_line) + " names none"
                             : "the experiment has none"),
      "name the values of the case to compare with: baseline: {axis: value}");
}

/// `findings: none`, one id, or `"!= id"`.
std::optional<Condition> read_findings(const Field& field, Problems& problems) {
  auto condition = read_condition(field, std::nullopt, problems);
  if (!condition) return std::nullopt;
  const auto* word = std::get_if<std::string>(&condition->operands.front());
  const bool ordered =
      condition->comparator != Comparator::eq && condition->comparator != Comparator::ne;
  if (ordered || word == nullptr) {
    problems.add(place_of(field),
                 field.key + ": " + in_quotes(condition->text) + " is not one finding",
                 "write none, an id, or \"!= id\"; a list item for each");
  } else if (*word == no_findings && condition->comparator == Comparator::ne) {
    problems.add(place_of(field), field.key + ": '!= none' does not say which",
                 "name the finding that you expect");
  } else if (*word != no_findings && find_finding(*word) == nullptr) {
    std::vector<std::string> ids{std::string(no_findings)};
    for (const auto& known : known_findings()) ids.emplace_back(known.id);
    const auto near = text::closest(*word, ids);
    problems.add(place_of(field), field.key + ": unknown finding " + in_quotes(*word),
                 text::did_you_mean(near, "bench --list facts shows them"));
  }
  return condition;
}

void add_unknown_fact(const AllowedAxes& axes, const Experiment& experiment, const Field& field,
                      Problems& problems) {
  std::vector<std::string> names{"where", std::string(findings_key)};
  if (experiment.command) {
    for (const auto& figure : experiment.command->figures) names.push_back(figure.name);
  }
  for (const auto& known : known_facts()) names.emplace_back(known.name);
  problems.add(field.place, "unknown fact " + in_quotes(field.key),
               find_axis(axes.specs, field.key) != nullptr
                   ? "it is an axis: write where: {" + field.key + ": ...}"
                   : suggestion(field.key, names));
}

}  // namespace

void read_expectations(const AllowedAxes& axes, const Fields& fields, SourcePlace place,
                       const std::optional<Params>& baseline, Experiment& experiment,
                       Problems& problems) {
  Match where;
  SourcePlace where_place;
  if (const auto* field = find(fields, "where")) {
    where_place = field->place;
    const auto conditions = read_fields(field->value, place_of(*field), "'where'", problems);
    if (conditions) where = read_match(axes, *conditions, problems);
    if (fields.size() == 1) {
      problems.add(place, "an item of 'expect' holds nothing to expect",
                   "name a fact: {error: \"<= 1e-5\"}");
    }
  }
  for (const auto& field : fields) {
    if (field.key == "where") continue;
    std::optional<Condition> condition;
    if (field.key == findings_key) {
      condition = read_findings(field, problems);
    } else if (const auto* fact = find_fact(field.key)) {
      check_compared(field, *fact, baseline, experiment.baseline_place.line, problems);
      condition = read_condition(field, fact->unit, problems);
      if (condition) check_operands(axes, field, *fact, *condition, problems);
    } else if (const auto unit = unit_of_figure(experiment.command, field.key)) {
      const FactInfo figure{.name = field.key, .help = "", .unit = *unit};
      condition = read_condition(field, unit, problems);
      if (condition) check_operands(axes, field, figure, *condition, problems);
    } else if (is_metric(field.key)) {
      condition = read_condition(field, Unit::count, problems);
    } else {
      add_unknown_fact(axes, experiment, field, problems);
    }
    if (!condition) continue;
    experiment.expectations.push_back(
        {where, field.key, std::move(*condition), field.place, where_place});
  }
}

void check_traced_facts(const Experiment& experiment, Problems& problems) {
  for (const auto& expectation : experiment.expectations) {
    const auto* fact = find_fact(expectation.fact);
    const auto& metrics = experiment.measure.metrics;
    if (is_metric(expectation.fact) &&
        std::find(metrics.begin(), metrics.end(), expectation.fact) == metrics.end()) {
      problems.add(expectation.place, "'" + expectation.fact + "' is not counted",
                   "name it in measure: {counters: [" + expectation.fact + "]}");
    }
    const auto needs = expectation.fact == findings_key ? FactNeeds::trace
                       : fact != nullptr                ? fact->needs
                                                        : FactNeeds::nothing;
    for (const auto& way : measured_by) {
      if (way.needs != needs || experiment.measure.*way.is_on) continue;
      problems.add(expectation.place,
                   "'" + expectation.fact + "' is known only " + std::string(way.words),
                   "add '" + std::string(way.flag) + ": true' to measure");
    }
    if (needs == FactNeeds::command && !experiment.command) {
      problems.add(expectation.place, "'" + expectation.fact + "' is known of commands only",
                   "workload: {command: [...]} is one");
    }
    if (needs == FactNeeds::processes &&
        experiment.measure.processes < static_cast<int>(fewest_processes_for_interval)) {
      problems.add(expectation.place,
                   "'" + expectation.fact + "' is known only from " +
                       std::to_string(fewest_processes_for_interval) + " processes on",
                   "raise 'processes' in measure");
    }
  }
}

}  // namespace apod::config
