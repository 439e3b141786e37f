#include "benchmarks/plan/config/conditions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/finding.hpp"
#include "benchmarks/base/text/plain.hpp"

namespace apod::config {

namespace {

/// Adds a problem where the operand can't be a value of the axis, and converts it to the form that
/// cases use.
void check_operand(const AxisSpec& spec, const std::vector<AxisSpec>& specs,
                   const std::string& text, SourcePlace place, Comparator comparator,
                   Operand& operand, Problems& problems) {
  const bool ordered = comparator != Comparator::eq && comparator != Comparator::ne &&
                       comparator != Comparator::is_one_of;
  if (spec.kind != AxisSpec::Kind::integer && ordered) {
    problems.add(place, spec.name + ": " + in_quotes(text) + " can't compare words",
                 "use == or != for the values of '" + spec.name + "'");
    return;
  }
  const auto* word = std::get_if<std::string>(&operand);
  if (word != nullptr && find_axis(specs, *word) != nullptr) return;
  if (spec.kind == AxisSpec::Kind::integer) {
    if (word == nullptr) return;
    const auto reason = parse_count(*word);
    problems.add(place, spec.name + ": " + reason.message, reason.hint);
    return;
  }
  // A number on an axis of words is the side of a square, or a mistake. Clamped, it fits 64 bits.
  const double number = word != nullptr ? 0 : std::clamp(std::get<double>(operand), -1e15, 1e15);
  const auto value = word != nullptr ? *word : std::to_string(std::llround(number));
  const auto parsed = accept(parse_axis_value(spec, value), place, spec.name, problems);
  if (parsed) operand = std::get<std::string>(*parsed);
}

}  // namespace

Parsed<Condition> parse_condition(std::string_view text, std::optional<Unit> unit) {
  struct Sign {
    std::string_view text;
    Comparator comparator;
  };
  // The longer signs come first: ">=" is not ">" followed by "=".
  constexpr std::array<Sign, 7> signs{{{"==", Comparator::eq},
                                       {"!=", Comparator::ne},
                                       {"<=", Comparator::le},
                                       {">=", Comparator::ge},
                                       {"<", Comparator::lt},
                                       {">", Comparator::gt},
                                       {"=", Comparator::eq}}};
  auto rest = text::trimmed(text);
  Condition condition;
  condition.text = std::string(rest);
  for (const auto& sign : signs) {
    if (!rest.starts_with(sign.text)) continue;
    condition.comparator = sign.comparator;
    rest = text::trimmed(rest.substr(sign.text.size()));
    break;
  }
  if (rest.empty()) {
    return Parsed<Condition>::bad(in_quotes(text) + " has no value to compare with",
                                  "write it as \"> 1\" or \"== streams\"");
  }
  if (rest.find_first_of("<>=!&|,") != std::string_view::npos) {
    return Parsed<Condition>::bad(
        in_quotes(text) + " is not one comparison",
        "write one comparison sign and one value; for several values, write a list [1, 2]");
  }
  const bool is_number = text::leading_number(rest).has_value();
  const auto number = text::parse_quantity(rest, unit.value_or(Unit::count));
  if (number.value) {
    condition.operands.emplace_back(*number.value);
  } else if (is_number && unit) {
    return Parsed<Condition>::bad(number.message, number.hint);
  } else {
    condition.operands.emplace_back(std::string(rest));
  }
  return Parsed<Condition>::good(std::move(condition));
}

namespace {

/// On an axis that takes any word: "!= a<b>", "== a<b>" or the word itself.
Parsed<Condition> parse_any_word(std::string_view text) {
  Condition condition;
  auto rest = text::trimmed(text);
  condition.text = std::string(rest);
  for (const auto& [sign, comparator] :
       {std::pair{"==", Comparator::eq}, std::pair{"!=", Comparator::ne}}) {
    if (!rest.starts_with(sign)) continue;
    condition.comparator = comparator;
    rest = text::trimmed(rest.substr(2));
    break;
  }
  condition.operands.emplace_back(std::string(rest));
  return Parsed<Condition>::good(std::move(condition));
}

/// One condition, or a list of values; `parse` reads each of them.
template <class Parse>
std::optional<Condition> read_with(const Field& field, Problems& problems, const Parse& parse) {
  if (!field.value.IsSequence()) {
    const auto word = read_word(field, problems);
    if (!word) return std::nullopt;
    return accept(parse(*word), place_of(field), field.key, problems);
  }
  Condition condition;
  condition.comparator = Comparator::is_one_of;
  for (const auto& item : field.value) {
    const auto word = read_word(item, place_of(item), field.key, problems);
    const auto one =
        word ? accept(parse(*word), place_of(item), field.key, problems) : std::nullopt;
    if (!one) return std::nullopt;
    if (one->comparator != Comparator::eq) {
      problems.add(place_of(item), field.key + ": a list can't have comparisons", "write [1, 2]");
      return std::nullopt;
    }
    condition.operands.push_back(one->operands.front());
    condition.text += (condition.text.empty() ? "[" : ", ") + one->text;
  }
  if (condition.operands.empty()) {
    problems.add(place_of(field), "'" + field.key + "' is an empty list",
                 "add a value, or leave the key out");
    return std::nullopt;
  }
  condition.text += "]";
  return condition;
}

bool takes_any_word(const AxisSpec& spec) {
  return spec.kind == AxisSpec::Kind::choice && spec.choices.empty();
}

}  // namespace

std::optional<Condition> read_condition(const Field& field, std::optional<Unit> unit,
                                        Problems& problems) {
  return read_with(field, problems,
                   [&](const std::string& word) { return parse_condition(word, unit); });
}

Match read_match(const AllowedAxes& axes, const Fields& fields, Problems& problems) {
  Match match;
  for (const auto& field : fields) {
    const auto* spec = known_axis(axes, field.key, field.place, problems);
    if (spec == nullptr) continue;
    auto condition = takes_any_word(*spec) ? read_with(field, problems, parse_any_word)
                                           : read_condition(field, std::nullopt, problems);
    if (!condition) continue;
    for (auto& operand : condition->operands) {
      check_operand(*spec, axes.specs, condition->text, place_of(field), condition->comparator,
                    operand, problems);
    }
    match.emplace_back(spec->name, std::move(*condition));
  }
  return match;
}

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
    const auto hint = text::did_you_mean(text::closest(*word, names),
                                         "write a number (1e-5, 30%, 5ms) or an axis, such as " +
                                             (names.empty() ? std::string("size") : names.back()));
    problems.add(
        place_of(field),
        field.key + ": " + in_quotes(*word) + " is neither a number nor an axis of numbers", hint);
  }
}

/// A fact that compares needs a baseline to be compared with.
void check_compared(const Field& field, const FactInfo& fact, bool has_baseline, int baseline_line,
                    Problems& problems) {
  if (fact.needs != FactNeeds::baseline || has_baseline) return;
  problems.add(
      field.place,
      "'" + field.key + "' needs a baseline, but " +
          (baseline_line > 0 ? "'baseline' at line " + std::to_string(baseline_line) + " names none"
                             : "the experiment has none"),
      "name the axis values of the baseline: baseline: {axis: value}");
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
                 "write none, an id, or \"!= id\"; for several findings, write a list");
  } else if (*word == no_findings && condition->comparator == Comparator::ne) {
    problems.add(place_of(field), field.key + ": '!= none' does not name a finding",
                 "name the finding that you expect, such as throttled");
  } else if (*word != no_findings && find_finding(*word) == nullptr) {
    std::vector<std::string> ids{std::string(no_findings)};
    for (const auto& known : known_findings()) ids.emplace_back(known.id);
    const auto near = text::closest(*word, ids);
    problems.add(place_of(field), field.key + ": unknown finding " + in_quotes(*word),
                 text::did_you_mean(near, to_see_facts));
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
                   ? "this is an axis, not a fact: write where: {" + field.key + ": ...}"
                   : suggestion(field.key, names));
}

}  // namespace

void read_expectations(const AllowedAxes& axes, const Fields& fields, SourcePlace place,
                       bool has_baseline, Experiment& experiment, Problems& problems) {
  Match where;
  SourcePlace where_place;
  if (const auto* field = find(fields, "where")) {
    where_place = field->place;
    const auto conditions = read_fields(field->value, place_of(*field), "'where'", problems);
    if (conditions) where = read_match(axes, *conditions, problems);
    if (fields.size() == 1) {
      problems.add(place, "an item of 'expect' has no fact or finding to check",
                   "name a fact: {error: \"<= 1e-5\"}");
    }
  }
  for (const auto& field : fields) {
    if (field.key == "where") continue;
    std::optional<Condition> condition;
    if (field.key == findings_key) {
      condition = read_findings(field, problems);
    } else if (const auto* fact = find_fact(field.key)) {
      check_compared(field, *fact, has_baseline, experiment.baseline_place.line, problems);
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
        std::ranges::find(metrics, expectation.fact) == metrics.end()) {
      problems.add(expectation.place, "'" + expectation.fact + "' is not among the counters",
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
      problems.add(expectation.place, "'" + expectation.fact + "' exists only for commands",
                   "write the workload as a command: workload: {command: [...]}");
    }
    if (needs == FactNeeds::processes &&
        experiment.measure.processes < static_cast<int>(fewest_processes_for_interval)) {
      problems.add(expectation.place,
                   "'" + expectation.fact + "' needs " +
                       std::to_string(fewest_processes_for_interval) + " processes or more",
                   "raise 'processes' in measure");
    }
  }
}

}  // namespace apod::config
