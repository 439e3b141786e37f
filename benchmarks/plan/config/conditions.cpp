#include "benchmarks/plan/config/conditions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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
    problems.add(place, spec.name + ": " + in_quotes(text) + " orders words",
                 "only == and != compare the values of '" + spec.name + "'");
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
    return Parsed<Condition>::bad(in_quotes(text) + " compares with nothing",
                                  "write it as \"> 1\" or \"== streams\"");
  }
  if (rest.find_first_of("<>=!&|,") != std::string_view::npos) {
    return Parsed<Condition>::bad(in_quotes(text) + " is not one comparison",
                                  "one sign and one value; several values as a list [1, 2]");
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
      problems.add(place_of(item), field.key + ": a list holds values, not comparisons");
      return std::nullopt;
    }
    condition.operands.push_back(one->operands.front());
    condition.text += (condition.text.empty() ? "[" : ", ") + one->text;
  }
  if (condition.operands.empty()) {
    problems.add(place_of(field), "'" + field.key + "' is an empty list",
                 "name a value, or leave the key out");
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

}  // namespace apod::config
