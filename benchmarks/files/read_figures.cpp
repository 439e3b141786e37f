#include "benchmarks/files/read_figures.hpp"

#include <cctype>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/files/read_side.hpp"
#include "benchmarks/files/record/archive.hpp"

namespace apod::files {
namespace {

using record::Json;
using text::in_quotes;

constexpr std::size_t deepest = 100;

text::NamedUnit unit_of(const Figure& figure) {
  const auto unit = text::unit_called(figure.unit);
  if (!unit) throw std::runtime_error("unknown unit " + in_quotes(figure.unit));
  return *unit;
}

/// A number as a program writes it: digits, point, exponent, and nothing else.
double number_in(const std::string& text) {
  const auto number = text::leading_number(text);
  if (!number || !number->second.empty()) {
    throw std::runtime_error(in_quotes(text) + " is no number");
  }
  return number->first;
}

/// Whether a unit, or a part of a word, follows in a line.
bool is_followed_by_word(std::string_view rest) {
  const auto first = rest.find_first_not_of(' ');
  if (first == std::string_view::npos) return false;
  const auto c = static_cast<unsigned char>(rest[first]);
  return std::isalpha(c) != 0 || c == '%' || c >= 0x80;  // 0x80: of µ
}

/// What the groups of an expression hold: a number, and its unit where that is one of them. A unit
/// that the expression leaves out may not be there.
double value_of(const Figure& figure, const text::Pattern::Found& found, const std::string& line) {
  const auto unit = unit_of(figure);
  const auto& groups = found.groups;
  if (groups.size() < 2) return number_in(groups.at(0)) * unit.factor;
  if (groups[1].empty()) {
    const auto rest = std::string_view(line).substr(found.after_first);
    if (is_followed_by_word(rest)) {
      throw std::runtime_error("the unit of " + in_quotes(groups[0] + std::string(rest)) +
                               " is not in the expression's second group");
    }
    return number_in(groups[0]) * unit.factor;
  }
  const double number = number_in(groups[0]);
  const auto written = text::unit_called(groups[1]);
  if (!written || written->unit != unit.unit) {
    throw std::runtime_error(in_quotes(groups[0] + " " + groups[1]) + " is not in " +
                             (figure.unit.empty() ? "counts" : figure.unit) + " or such");
  }
  return number * written->factor;
}

std::vector<double> read_lines(const Figure& figure, const std::string& output,
                               const text::Ask& ask) {
  const text::Pattern pattern(figure.where);
  std::vector<double> values;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (const auto found = pattern.find(line, ask)) {
      values.push_back(value_of(figure, *found, line));
    }
  }
  if (values.empty()) throw std::runtime_error("no line matches " + in_quotes(figure.where));
  return values;
}

Json parse(const std::string& output) {
  try {
    record::check_shape(output, deepest);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string("its JSON ") + error.what());
  }
  try {
    return Json::parse(output);
  } catch (const Json::exception&) {
    throw std::runtime_error("the output is not JSON");
  }
}

/// Adds what `path` leads to from `value`: keys and indices between slashes, and * for all.
void follow(const Json& value, std::string_view path, std::vector<const Json*>& found) {
  while (path.starts_with('/')) path.remove_prefix(1);
  if (path.empty()) return found.push_back(&value);
  const auto end = path.find('/');
  const auto step = path.substr(0, end);
  const auto rest = end == std::string_view::npos ? std::string_view() : path.substr(end);
  if (step == "*") {
    for (const auto& one : value) follow(one, rest, found);
  } else if (value.is_object()) {
    const auto member = value.find(step);
    if (member != value.end()) follow(*member, rest, found);
  } else if (value.is_array()) {
    const auto index = text::parse_count(step);
    const bool inside =
        index.value && *index.value >= 0 && static_cast<std::size_t>(*index.value) < value.size();
    if (inside) follow(value[static_cast<std::size_t>(*index.value)], rest, found);
  }
}

std::vector<double> read_path(const Figure& figure, const Json& json) {
  const auto unit = unit_of(figure);
  std::vector<const Json*> found;
  follow(json, figure.where, found);
  std::vector<double> values;
  for (const auto* one : found) {
    if (one->is_number()) {
      values.push_back(one->get<double>() * unit.factor);
    } else if (one->is_string()) {
      values.push_back(number_in(one->get<std::string>()) * unit.factor);
    } else {
      throw std::runtime_error("what is at " + figure.where + " is no number");
    }
  }
  if (values.empty()) throw std::runtime_error("there is nothing at " + figure.where);
  return values;
}

void check(const Figure& figure, const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) throw std::runtime_error("one of its values is not finite");
    if (figure.name == "time" && !(value > 0)) {
      throw std::runtime_error("a time of " + text::format_quantity(value, Unit::seconds));
    }
  }
}

}  // namespace

std::map<std::string, std::vector<double>> read_figures(const CommandSpec& command,
                                                        const std::string& output,
                                                        const text::Ask& ask) {
  std::map<std::string, std::vector<double>> all;
  Json json;
  if (command.reads == Reads::json) json = parse(output);
  for (const auto& figure : command.figures) {
    try {
      auto values =
          command.reads == Reads::json ? read_path(figure, json) : read_lines(figure, output, ask);
      check(figure, values);
      all.emplace(figure.name, std::move(values));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(figure.name + ": " + error.what());
    }
  }
  return all;
}

std::vector<FoundCase> read_benchmarks(const std::string& file, std::vector<std::string>& notes) {
  // The file is gone when they are read.
  const auto unnamed = [&](const std::string& text) {
    return text.starts_with(file + ": ") ? text.substr(file.size() + 2) : text;
  };
  Side side;
  try {
    side = read_side({file});
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("what it wrote: " + unnamed(error.what()));
  }
  for (const auto& note : side.notes) notes.push_back(unnamed(note));
  std::vector<FoundCase> found;
  for (auto& one : side.cases) {
    auto& c = found.emplace_back(FoundCase{.name = std::move(one.name), .failed = one.failed});
    c.samples_s = medians_of(one);
    if (c.samples_s.empty() && c.failed.empty()) c.failed = "it has no time";
    if (!c.failed.empty()) c.samples_s.clear();
    for (const auto& [name, value] : one.facts) c.facts[name] = value;
  }
  return found;
}

}  // namespace apod::files
