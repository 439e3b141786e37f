#include "benchmarks/files/read_figures.hpp"

#include <cctype>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "benchmarks/base/os/descriptor.hpp"
#include "benchmarks/base/text/pattern.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/files/json_table.hpp"
#include "benchmarks/files/metric.hpp"
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
  if (!number || !number->second.empty())
    throw std::runtime_error(in_quotes(text) + " is not a number");
  return number->first;
}

/// Whether a unit, or a part of a word, follows in a line.
bool is_followed_by_word(std::string_view rest) {
  const auto first = rest.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  const auto c = static_cast<unsigned char>(rest[first]);
  return std::isalpha(c) != 0 || c == '%' || c >= 0x80;  // 0x80: of µ
}

/// Whether a number is only a part of one, as of "5e3", "5,5" and "5k", where the match ends with
/// it; or another unit than `unit` follows it, perhaps alone in brackets.
bool goes_on(std::string_view rest, bool match_ends, const text::NamedUnit& unit) {
  // "5/us" is no time, but "5/s" is a count a second.
  const auto first =
      rest.find_first_not_of(unit.unit == text::Unit::count ? " \t([{<;-" : " \t([{<;-/");
  if (first == std::string_view::npos) return false;
  const auto end = rest.find_first_of(" \t,;:()[]{}>", first);
  auto word = rest.substr(first, end == rest.npos ? rest.npos : end - first);
  if (word.ends_with('.')) word.remove_suffix(1);
  // "5 (min 3)" has a unit's name, and says something else.
  const bool in_brackets = rest.substr(0, first).find_first_of("([{<") != rest.npos;
  const bool closes = end != rest.npos && std::string_view(")]}>").find(rest[end]) != rest.npos;
  const bool may_be_unit = !word.empty() && (!in_brackets || closes);
  const auto written = may_be_unit ? text::unit_called(word) : std::nullopt;
  if (written) return written->unit != unit.unit || written->factor != unit.factor;
  const auto c = static_cast<unsigned char>(rest[0]);
  const bool is_digit_next = rest.size() > 1 && std::isdigit(static_cast<unsigned char>(rest[1]));
  const bool separates = std::string_view(".,'_/:").find(rest[0]) != std::string_view::npos;
  return match_ends && (std::isalnum(c) != 0 || c >= 0x80 || (separates && is_digit_next));
}

/// Whether a number begins in the middle of one: as "5" of "12.5" and "1:05", "3" of "1e-3", "10"
/// of "0x10", "2" of "-2"; but not of "gpu0:5" and "run-2".
bool begins_within(std::string_view line, std::size_t begin) {
  constexpr std::size_t longest = 64;
  static const text::Pattern part(
      R"((\d|\d[.,'_]|(^|\W)\d+:|(^|\W)0[xX]|\d\.?[eE][+-]?|(^|[^\w)\]\-])-)$)");
  const auto before = line.substr(0, begin);
  return begin < line.size() && std::isdigit(static_cast<unsigned char>(line[begin])) != 0 &&
         part.is_in(std::string(before.substr(begin - std::min(begin, longest))));
}

/// What the groups of an expression hold: a number, and its unit where that is one of them. A unit
/// that the expression leaves out may not be there.
double value_of(const Figure& figure, const text::Pattern::Found& found, const std::string& line) {
  const auto unit = unit_of(figure);
  const auto& groups = found.groups;
  const auto rest = std::string_view(line).substr(found.after_first);
  const auto begin = found.after_first - groups.at(0).size();
  if (begins_within(line, begin)) {
    throw std::runtime_error(in_quotes(groups.at(0)) + " is only a part of a number in " +
                             in_quotes(line) + ": match the whole number");
  }
  if (groups.size() < 2) {
    if (goes_on(rest, found.end == found.after_first, unit)) {
      throw std::runtime_error(in_quotes(groups.at(0) + std::string(rest)) + " is not in " +
                               (figure.unit.empty() ? "counts" : figure.unit) +
                               ": match the unit with a second group, or match the whole number");
    }
    return number_in(groups[0]) * unit.factor;
  }
  if (groups[1].empty()) {
    if (is_followed_by_word(rest) || goes_on(rest, true, unit)) {
      throw std::runtime_error("the unit of " + in_quotes(groups[0] + std::string(rest)) +
                               " is not in the second group of the regular expression");
    }
    return number_in(groups[0]) * unit.factor;
  }
  const double number = number_in(groups[0]);
  const auto written = text::unit_called(groups[1]);
  if (!written || written->unit != unit.unit) {
    throw std::runtime_error(in_quotes(groups[0] + " " + groups[1]) + " is not in " +
                             (figure.unit.empty() ? "counts" : figure.unit) + " or a multiple");
  }
  return number * written->factor;
}

std::vector<double> read_lines(const Figure& figure, const std::string& output,
                               const text::Ask& ask) {
  const text::Pattern pattern(figure.where);
  std::vector<double> values;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (const auto found = pattern.find(line, ask))
      values.push_back(value_of(figure, *found, line));
  }
  if (values.empty())
    throw std::runtime_error("no line matches " + in_quotes(figure.where) +
                             what_was_printed(output));
  return values;
}

Json parse(const std::string& output) {
  try {
    record::check_shape(output, deepest);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string("the JSON output ") + error.what());
  }
  try {
    return Json::parse(output);
  } catch (const Json::exception&) {
    throw std::runtime_error("the output is not JSON");
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
      throw std::runtime_error("the value at " + figure.where + " is not a number");
    }
  }
  if (values.empty()) throw std::runtime_error("the output has no value at " + figure.where);
  return values;
}

void check(const Figure& figure, const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) throw std::runtime_error("a value in the output is not finite");
    if (figure.name == "time" && !(value > 0)) {
      throw std::runtime_error("not a positive time: " +
                               text::format_quantity(value, Unit::seconds));
    }
  }
}

}  // namespace

std::vector<FoundCase> read_json_cases(const CommandSpec& command, const std::string& output,
                                       std::vector<std::string>& notes) {
  const Json json = parse(output);
  std::vector<const Json*> found;
  follow(json, command.cases, found);
  std::vector<const Json*> all;
  for (const auto* value : found) {
    if (!value->is_array()) all.push_back(value);
    if (value->is_array()) follow(*value, "*", all);
  }
  if (all.empty()) throw std::runtime_error("the output has no case at " + command.cases);
  std::vector<FoundCase> cases;
  std::map<std::string, std::size_t> places;
  const auto case_called = [&](const std::string& name) -> FoundCase& {
    const auto [place, is_new] = places.try_emplace(name, cases.size());
    if (is_new) cases.push_back({.name = name});
    return cases[place->second];
  };
  for (const auto* const& one : all) {
    try {
      auto row = row_of(*one, command.case_name, command.figures);
      auto& c = case_called(row.name);
      for (const auto& number : row.numbers) c.facts[number.name] = number.value;
      if (!row.failed.empty()) c.failed = row.failed;
      for (const double seconds : row.times_s) {
        if (!has_ratio(seconds)) c.failed = why_no_time("time", seconds);
        c.samples_s.push_back(seconds);
      }
    } catch (const BadRow& error) {
      case_called(error.name).failed = error.what();
    } catch (const std::runtime_error& error) {
      notes.push_back("left out, case " + std::to_string(&one - all.data()) + ": " + error.what());
    }
  }
  if (cases.empty()) throw std::runtime_error(notes.back());
  for (auto& c : cases) {
    if (!c.failed.empty()) c.samples_s.clear();
  }
  return cases;
}

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

std::string what_was_printed(const std::string& output) {
  constexpr std::size_t longest = 200;
  const auto line = os::last_line(output);
  if (line.empty()) return "; the output is empty";
  return "; last line of output: " + in_quotes(text::shorten(text::printable(line), longest));
}

}  // namespace apod::files
