#include "benchmarks/base/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace apod {

namespace {

bool compare(Comparator comparator, double a, double b) {
  switch (comparator) {
    case Comparator::eq:
    case Comparator::is_one_of:
      return nearly_equal(a, b);
    case Comparator::ne:
      return !nearly_equal(a, b);
    case Comparator::lt:
      return a < b && !nearly_equal(a, b);
    case Comparator::gt:
      return a > b && !nearly_equal(a, b);
    case Comparator::le:
      return a < b || nearly_equal(a, b);
    case Comparator::ge:
      return a > b || nearly_equal(a, b);
  }
  return false;
}

/// Words have no order.
bool compare(Comparator comparator, const std::string& a, const std::string& b) {
  if (comparator == Comparator::ne) return a != b;
  return (comparator == Comparator::eq || comparator == Comparator::is_one_of) && a == b;
}

/// A number and a word differ, and have no order.
template <class A, class B>
bool compare(Comparator comparator, const A&, const B&) {
  return comparator == Comparator::ne;
}

/// Calls read() with the number or the word of an axis.
template <class Read>
bool with_value(const AxisValue& value, Read read) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return read(static_cast<double>(*number));
  return read(std::get<std::string>(value));
}

/// An operand that names an axis of the case stands for that axis' value.
template <class Value>
bool holds_operand(Comparator comparator, const Value& value, const Operand& operand,
                   const Params& params) {
  if (const auto* number = std::get_if<double>(&operand))
    return compare(comparator, value, *number);
  const auto& word = std::get<std::string>(operand);
  const auto* axis = params.find(word);
  if (axis == nullptr) return compare(comparator, value, word);
  return with_value(*axis, [&](const auto& other) { return compare(comparator, value, other); });
}

/// Any operand of a list may hold; the other comparators have one.
template <class Value>
bool holds_any(const Condition& condition, const Value& value, const Params& params) {
  return std::any_of(condition.operands.begin(), condition.operands.end(), [&](const Operand& o) {
    return holds_operand(condition.comparator, value, o, params);
  });
}

}  // namespace

bool nearly_equal(double a, double b) {
  return a == b || std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

bool holds(const Condition& condition, const AxisValue& value, const Params& params) {
  return with_value(value, [&](const auto& v) { return holds_any(condition, v, params); });
}

bool holds(const Condition& condition, double value, const Params& params) {
  return holds_any(condition, value, params);
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

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (diagnostic.place.line > 0) {
    text += ":" + std::to_string(diagnostic.place.line);
    if (diagnostic.place.column > 0) text += ":" + std::to_string(diagnostic.place.column);
  }
  if (!text.empty()) text += ": ";
  text += diagnostic.message;
  if (!diagnostic.hint.empty()) text += " (" + diagnostic.hint + ")";
  return text;
}

Diagnostics in_order(Diagnostics diagnostics) {
  const auto is_flag = [](const Diagnostic& d) { return d.file.starts_with("--"); };
  const auto flags = std::stable_partition(diagnostics.begin(), diagnostics.end(),
                                           [&](const auto& d) { return !is_flag(d); });
  const auto key = [](const Diagnostic& d) {
    return std::tie(d.file, d.place.line, d.place.column, d.message);
  };
  std::stable_sort(diagnostics.begin(), flags,
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(),
                                [&](const auto& a, const auto& b) { return key(a) == key(b); }),
                    diagnostics.end());
  return diagnostics;
}

}  // namespace apod
