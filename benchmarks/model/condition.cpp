#include "benchmarks/model/condition.hpp"

#include <algorithm>
#include <cmath>

namespace apod {
namespace {

Operand operand_of(const AxisValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  return std::get<std::string>(value);
}

/// An operand that names an axis of the case stands for that axis' value.
Operand resolve(const Operand& operand, const Params& params) {
  const auto* word = std::get_if<std::string>(&operand);
  const auto* axis = word == nullptr ? nullptr : params.find(*word);
  return axis == nullptr ? operand : operand_of(*axis);
}

bool equal(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

bool equal(const Operand& a, const Operand& b) {
  if (a.index() != b.index()) return false;
  if (const auto* word = std::get_if<std::string>(&a)) return *word == std::get<std::string>(b);
  return equal(std::get<double>(a), std::get<double>(b));
}

/// a < b for numbers; words have no order.
bool less(const Operand& a, const Operand& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  return x != nullptr && y != nullptr && *x < *y && !equal(*x, *y);
}

bool holds_operand(const Condition& condition, const Operand& value, const Params& params) {
  if (condition.comparator == Comparator::is_one_of) {
    return std::any_of(condition.operands.begin(), condition.operands.end(),
                       [&](const Operand& o) { return equal(value, resolve(o, params)); });
  }
  if (condition.operands.empty()) return false;
  const Operand right = resolve(condition.operands.front(), params);
  const bool both_numbers = value.index() == 0 && right.index() == 0;
  switch (condition.comparator) {
    case Comparator::eq:
      return equal(value, right);
    case Comparator::ne:
      return !equal(value, right);
    case Comparator::lt:
      return less(value, right);
    case Comparator::gt:
      return less(right, value);
    case Comparator::le:
      return both_numbers && (less(value, right) || equal(value, right));
    case Comparator::ge:
      return both_numbers && (less(right, value) || equal(value, right));
    case Comparator::is_one_of:
      break;
  }
  return false;
}

}  // namespace

bool holds(const Condition& condition, const AxisValue& value, const Params& params) {
  return holds_operand(condition, operand_of(value), params);
}

bool holds(const Condition& condition, double value, const Params& params) {
  return holds_operand(condition, value, params);
}

std::string to_string(std::string_view name, const Condition& condition) {
  // An operator may be left out where the condition is written.
  const bool has_operator = condition.text.find_first_of("<>=!") == 0;
  const char* implied = condition.comparator == Comparator::is_one_of ? " in " : " == ";
  return std::string(name) + (has_operator ? " " : implied) + condition.text;
}

bool matches(const Match& match, const Params& params) {
  return std::all_of(match.begin(), match.end(), [&](const auto& entry) {
    const auto* value = params.find(entry.first);
    return value != nullptr && holds(entry.second, *value, params);
  });
}

}  // namespace apod
