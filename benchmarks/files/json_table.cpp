#include "benchmarks/files/json_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/quantities.hpp"
#include "benchmarks/files/read_github_action.hpp"

namespace apod::files {
namespace {

const std::vector<JsonTable> tables{
    {.id = "pytest",
     .program = "pytest-benchmark",
     .cases = "benchmarks",
     .mark = "stats/median",
     .name = "fullname",
     .params = "params",
     .figures = {{"time", "stats/data/*", "s"},
                 {"time", "stats/median", "s"},
                 {"mean", "stats/mean", "s"},
                 {"stddev", "stats/stddev", "s"},
                 {"ops", "stats/ops", "/s"},
                 {"rounds", "stats/rounds", ""},
                 {"", "extra_info/*", ""}},
     .context = {{"datetime", "date"},
                 {"version", "version"},
                 {"machine_info/node", "host"},
                 {"machine_info/cpu/brand_raw", "cpu"},
                 {"machine_info/cpu/count", "cpus"},
                 {"machine_info/system", "os"},
                 {"machine_info/python_version", "python"},
                 {"commit_info/id", "commit"}}},
    {.id = "hyperfine",
     .program = "hyperfine",
     .cases = "results",
     .mark = "command",
     .name = "command",
     .params = "parameters",
     .figures = {{"time", "times/*", "s"},
                 {"time", "median", "s"},
                 {"time", "mean", "s"},
                 {"user_time", "user", "s"},
                 {"system_time", "system", "s"}},
     .context = {},
     .one_process = false,
     .exit_codes = "exit_codes/*"},
    {.id = "nanobench",
     .program = "nanobench",
     .cases = "results",
     .mark = "median(elapsed)",
     .name = "name",
     .params = nullptr,
     .figures = {{"time", "median(elapsed)", "s"},
                 {"instructions", "median(instructions)", ""},
                 {"cycles", "median(cpucycles)", ""}},
     .context = {}},
    {.id = "benchmarkdotnet",
     .program = "BenchmarkDotNet",
     .cases = "Benchmarks",
     .mark = "Statistics/Median",
     .name = "FullName",
     .params = nullptr,
     .figures = {{"time", "Statistics/Median", "ns"},
                 {"mean", "Statistics/Mean", "ns"},
                 {"allocated", "Memory/BytesAllocatedPerOperation", "B"}},
     .context = {{"HostEnvironmentInfo/ProcessorName", "cpu"},
                 {"HostEnvironmentInfo/OsVersion", "os"},
                 {"HostEnvironmentInfo/BenchmarkDotNetVersion", "version"},
                 {"HostEnvironmentInfo/RuntimeVersion", "runtime"}}},
    {.id = "jmh",
     .program = "JMH",
     .cases = "",
     .mark = "primaryMetric/score",
     .name = "benchmark",
     .params = "params",
     .figures = {{"time", "primaryMetric/rawData/*/*", "@primaryMetric/scoreUnit"},
                 {"time", "primaryMetric/score", "@primaryMetric/scoreUnit"}},
     .context = {},
     .name_lacks_params = true},
    {.id = "smaller-is-better",
     .program = "github-action-benchmark",
     .cases = "",
     .mark = "value",
     .name = "name",
     .params = nullptr,
     .figures = {{"time", "value", "@unit"}},
     .context = {}},
    {.id = "bencher",
     .program = "Bencher",
     .cases = "*",
     .mark = "latency/value",
     .name = "",
     .params = nullptr,
     .figures = {{"time", "latency/value", "ns"}, {"", "*/value", ""}},
     .context = {}},
};

/// A number, also one in a text; nothing of anything else.
std::optional<double> number_of(const Piece& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto number = text::leading_number(value.get_ref<const std::string&>());
  if (!number || !number->second.empty()) return std::nullopt;
  return number->first;
}

std::vector<const Piece*> at(const Piece& one, std::string_view path) {
  std::vector<const Piece*> found;
  follow(one, path, found);
  return found;
}

double factor_of(const Figure& figure) {
  const auto unit = text::unit_called(figure.unit);
  if (!unit) throw std::runtime_error("unknown unit " + text::in_quotes(figure.unit));
  return unit->factor;
}

/// The times are those of the first figure that has a number; where none has, of the first that is
/// there, which are then no numbers.
void take_times(const Piece& one, const std::vector<Figure>& figures, ForeignRow& row) {
  std::string places;
  const Figure* chosen = nullptr;
  std::vector<const Piece*> values;
  for (const auto& figure : figures) {
    if (figure.name != "time") continue;
    places += (places.empty() ? "" : " and ") + figure.where;
    auto found = at(one, figure.where);
    const bool any =
        std::any_of(found.begin(), found.end(), [](const auto* v) { return number_of(*v); });
    if (!any && (chosen != nullptr || found.empty())) continue;
    chosen = &figure;
    values = std::move(found);
    if (any) break;
  }
  if (chosen == nullptr) throw BadRow(row.name, "no time: the file has no value at " + places);
  const bool unit_in_file = chosen->unit.starts_with('@');
  const auto unit = at(one, unit_in_file ? std::string_view(chosen->unit).substr(1) : "");
  for (const auto* value : values) {
    const double number = number_of(*value).value_or(std::numeric_limits<double>::quiet_NaN());
    if (unit_in_file) {
      take_time(row, number, unit.empty() ? "" : text_of(*unit.front()));
    } else {
      row.times_s.push_back(number * factor_of(*chosen));
    }
  }
}

/// A null is absent, and so is a text where the numbers were not kept.
std::vector<double> numbers_at(const Piece& one, const Figure& figure) {
  std::vector<double> numbers;
  for (const auto* value : at(one, figure.where)) {
    const auto number = number_of(*value);
    if (number) numbers.push_back(*number * factor_of(figure));
  }
  return numbers;
}

/// How numbers of the unit are kept.
std::string_view kept_in(const std::string& unit) {
  const auto known = text::unit_called(unit);
  if (!known) return "";
  switch (known->unit) {
    case Unit::seconds:
      return "s";
    case Unit::bytes:
      return "B";
    case Unit::bytes_per_second:
      return "B/s";
    case Unit::per_second:
      return "/s";
    default:
      return "";
  }
}

}  // namespace

std::span<const JsonTable> json_tables() {
  return tables;
}

bool holds_cases(const JsonTable& table, std::string_view member) {
  return member == table.cases || (std::string_view(table.cases) == "*" && !member.empty());
}

void follow(const Piece& value, std::string_view path, std::vector<const Piece*>& found) {
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

ForeignRow row_of(const Piece& one, const std::string& name, const std::vector<Figure>& figures,
                  const std::string& key) {
  ForeignRow row{.name = key};
  if (!name.empty()) {
    for (const auto* part : at(one, name))
      row.name += (row.name.empty() ? "" : "/") + text_of(*part);
  }
  if (row.name.empty()) throw std::runtime_error(name + ": no name");
  take_times(one, figures, row);
  for (const auto& figure : figures) {
    if (figure.name == "time") continue;
    if (figure.name.empty()) {
      const auto star = figure.where.find('*');
      const auto all = at(one, std::string_view(figure.where).substr(0, star));
      if (all.empty() || !all.front()->is_object()) continue;
      for (const auto& [name_of, value] : all.front()->items()) {
        const auto rest = std::string_view(figure.where).substr(star + 1);
        if (name_of + std::string(rest) == figures.front().where) continue;  // the time
        const auto found = at(value, rest);
        const bool is_number = !found.empty() && found.front()->is_number();
        if (is_number) row.numbers.push_back({name_of, found.front()->get<double>()});
      }
    } else {
      const auto numbers = numbers_at(one, figure);
      if (numbers.empty()) continue;
      row.numbers.push_back({figure.name, numbers.front(), kept_in(figure.unit)});
    }
  }
  return row;
}

void read_json_table(const JsonTable& table, const std::string& file, Events& events) {
  ForeignRows rows(events, file, table.program, Reads::json);
  read_pieces(file, {}, [&](const std::string& member, std::size_t index, const Piece& piece) {
    if (holds_cases(table, member)) {
      const bool by_key = *table.name == '\0';
      if (!by_key && index == whole) throw std::runtime_error("not an array");
      rows.row(by_key ? member : member + "[" + std::to_string(index) + "]", [&] {
        auto row = by_key ? row_of(piece, "", table.figures, member)
                          : row_of(element(piece, index), table.name, table.figures);
        if (table.exit_codes != nullptr) {
          for (const auto* code : at(piece, table.exit_codes)) {
            const auto number = number_of(*code);
            if (number && *number != 0)
              row.failed = "exit code " + std::to_string(std::lround(*number));
          }
        }
        if (table.params == nullptr) return std::optional(std::move(row));
        for (const auto* params : at(piece, table.params)) {
          if (!params->is_object()) continue;
          for (const auto& [axis, value] : params->items()) {
            // pytest-benchmark writes an object as text with its address, which no other run has.
            const auto text = value.is_primitive() ? text_of(value) : "";
            if (value.is_primitive() && !text.starts_with("UNSERIALIZABLE["))
              row.params.emplace_back(axis, text);
          }
        }
        if (table.name_lacks_params) row.family = row.name;
        const std::string told = table.name_lacks_params ? "" : row.name;
        for (const auto& [axis, value] : row.params) {
          const auto part = "/" + axis + ":" + value;
          if (told.find(value) == std::string::npos) row.name += part;
          row.identity += part;  // rows of other parameters are no repetitions
        }
        return std::optional(std::move(row));
      });
    }
    for (const auto& [path, property] : table.context) {
      const std::string_view all(path);
      const auto end = std::min(all.find('/'), all.size());
      if (member != all.substr(0, end)) continue;
      for (const auto* value : at(piece, all.substr(end)))
        take_property(rows.run, property, text_of(*value));
    }
    return true;
  });
  rows.finish();
}

}  // namespace apod::files
