#include "benchmarks/config/expectations.hpp"

#include <algorithm>

#include "benchmarks/model/summary.hpp"

namespace apod::config {
namespace {

const FactInfo* find_fact(const std::string& name) {
  const auto& facts = known_facts();
  const auto found = std::find_if(facts.begin(), facts.end(),
                                  [&](const FactInfo& fact) { return fact.name == name; });
  return found == facts.end() ? nullptr : &*found;
}

/// Facts are numbers: a word must be an axis with numbers.
void check_operands(const AllowedAxes& axes, const Field& field, const Condition& condition,
                    Problems& problems) {
  for (const auto& operand : condition.operands) {
    const auto* word = std::get_if<std::string>(&operand);
    if (word == nullptr) continue;
    const auto* axis = find_axis(axes.specs, *word);
    if (axis != nullptr && axis->kind == AxisSpec::Kind::integer) continue;
    std::vector<std::string> names;
    for (const auto& spec : axes.specs) {
      if (spec.kind == AxisSpec::Kind::integer) names.push_back(spec.name);
    }
    auto hint = closest(*word, names);
    hint = hint.empty() ? "write a number, such as 1e-5, 30% or 5ms, or an axis, such as " +
                              (names.empty() ? std::string("size") : names.back())
                        : "did you mean '" + hint + "'?";
    problems.add(
        place_of(field),
        field.key + ": " + in_quotes(*word) + " is neither a number nor an axis of numbers", hint);
  }
}

}  // namespace

void read_expectations(const AllowedAxes& axes, const Fields& fields, SourcePlace place,
                       std::vector<Expectation>& expectations, Problems& problems) {
  Match where;
  if (const auto* field = find(fields, "where")) {
    const auto conditions = read_fields(field->value, place_of(*field), "'where'", problems);
    if (conditions) where = read_match(axes, *conditions, problems);
  }
  std::size_t facts = 0;
  for (const auto& field : fields) {
    if (field.key == "where") continue;
    ++facts;
    if (find_fact(field.key) == nullptr) {
      std::vector<std::string> names{"where"};
      for (const auto& fact : known_facts()) names.push_back(fact.name);
      problems.add(field.place, "unknown fact " + in_quotes(field.key),
                   find_axis(axes.specs, field.key) != nullptr
                       ? "it is an axis: write where: {" + field.key + ": ...}"
                       : suggestion(field.key, names));
      continue;
    }
    auto condition = read_condition(field, problems);
    if (!condition) continue;
    check_operands(axes, field, *condition, problems);
    expectations.push_back({where, field.key, std::move(*condition), field.place});
  }
  if (facts == 0) {
    problems.add(place, "an item of 'expect' holds nothing to expect",
                 "name a fact: {error: \"<= 1e-5\"}");
  }
}

void check_traced_facts(const Experiment& experiment, Problems& problems) {
  if (experiment.measure.trace) return;
  for (const auto& expectation : experiment.expectations) {
    const auto* fact = find_fact(expectation.fact);
    if (fact == nullptr || !fact->needs_trace) continue;
    problems.add(expectation.place, "'" + expectation.fact + "' is known only with a traced pass",
                 "add 'trace: true' to measure");
  }
}

}  // namespace apod::config
