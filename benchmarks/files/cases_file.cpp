#include "benchmarks/files/cases_file.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/files/record/archive.hpp"

namespace apod::files {
namespace {

constexpr std::size_t most_rows_bytes = std::size_t{4} << 20;
constexpr std::size_t most_case_rows = 10'000;
constexpr std::size_t most_case_columns = 64;

void add_csv(std::string_view line, CaseRows& all) {
  if (std::count(line.begin(), line.end(), '"') % 2 != 0)
    throw std::runtime_error("has a quoted cell without a closing quote on the same line");
  auto cells = text::csv_cells(line);
  if (all.columns.empty()) {
    all.columns = std::move(cells);
    return;
  }
  if (cells.size() != all.columns.size()) {
    throw std::runtime_error("has " + std::to_string(cells.size()) + " values, but there are " +
                             std::to_string(all.columns.size()) + " columns");
  }
  all.rows.push_back(std::move(cells));
}

void add_json(std::string_view line, CaseRows& all) {
  const auto object = record::parse_bounded(line);
  if (!object.is_object()) throw std::runtime_error("is not an object");
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string() && !value.is_number() && !value.is_boolean())
      throw std::runtime_error("'" + name + "' must be a string, a number or a boolean");
    names.push_back(name);
    values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (all.columns.empty()) all.columns = names;
  if (names != all.columns)
    throw std::runtime_error("must have the same keys in the same order as the first line");
  all.rows.push_back(std::move(values));
}

void check_rows(const CaseRows& all) {
  const auto& columns = all.columns;
  if (all.rows.empty()) throw std::runtime_error("has no row");
  if (columns.size() > most_case_columns) throw std::runtime_error("has more than 64 columns");
  for (const auto& name : columns) {
    if (name.empty()) throw std::runtime_error("has a column without a name");
    if (std::count(columns.begin(), columns.end(), name) > 1)
      throw std::runtime_error("has two columns '" + name + "'");
  }
}

}  // namespace

CaseRows read_case_rows(const std::string& path) {
  const bool is_csv = path.ends_with(".csv");
  if (!is_csv && !path.ends_with(".jsonl"))
    throw std::runtime_error(path + ": a file of cases must be a .csv or a .jsonl");
  CaseRows all;
  std::size_t number = 0;
  const auto at = [&] {
    return number == 0 ? path + ": " : path + ":" + std::to_string(number) + ": ";
  };
  try {
    std::istringstream lines(os::read_file(path, most_rows_bytes));
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // as Excel writes it
      if (line.ends_with('\r')) line.pop_back();
      if (line.empty()) continue;
      if (all.rows.size() == most_case_rows) throw std::runtime_error("has more than 10,000 rows");
      is_csv ? add_csv(line, all) : add_json(line, all);
    }
    number = 0;
    check_rows(all);
  } catch (const std::exception& error) {
    throw std::runtime_error(at() + error.what());
  }
  return all;
}

}  // namespace apod::files
