#include "benchmarks/files/columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace apod::files {
namespace {

using record::Json;

/// The keys that lead to a value.
using Path = std::vector<std::string>;
using Values = std::map<Path, Json>;

Json rounded(const Json& value) {
  if (value.is_structured()) {
    Json all = value;
    for (auto& each : all) each = rounded(each);
    return all;
  }
  if (!value.is_number_float()) return value;
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value.get<double>());
  const double number = std::strtod(text, nullptr);
  constexpr double exact_below = 1e15;
  if (std::abs(number) < exact_below && number == std::trunc(number)) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

/// The values of all rows by their paths.
struct Cells {
  std::vector<Values> rows;
  std::vector<Path> order;  ///< of the paths, as the rows have them
  /// Objects that are kept as one value: their keys are names of kernels, which differ from row to
  /// row, or some row has their keys in another order.
  std::set<Path> whole;
  bool is_whole(const Path& path) const {
    return path.back() == "kernel_code" || whole.contains(path);
  }
  const Json* find(std::size_t row, const Path& path) const {
    const auto found = rows[row].find(path);
    return found == rows[row].end() ? nullptr : &found->second;
  }
};

/// Adds a row; each new path comes behind the one before it. Returns the object in which a key
/// comes before one that it follows elsewhere; nothing where there is none.
std::optional<Path> add(const Json& row, Cells& cells) {
  auto& order = cells.order;
  auto& values = cells.rows.emplace_back();
  Path path;
  std::size_t place = 0;
  std::optional<Path> in_disorder;
  const std::function<void(const Json&)> visit = [&](const Json& object) {
    for (const auto& [key, value] : object.items()) {
      path.push_back(key);
      if (value.is_object() && !cells.is_whole(path)) {
        visit(value);
      } else if (!value.is_null() && !(value.is_structured() && value.empty())) {
        const auto next = order.begin() + static_cast<std::ptrdiff_t>(place);
        const bool as_before = next != order.end() && *next == path;
        const auto known = as_before ? next : std::find(order.begin(), order.end(), path);
        if (known == order.end()) {
          order.insert(next, path);
          ++place;
        } else {
          if (known < next && path.size() > 1) {
            in_disorder = Path(path.begin(), path.end() - 1);
          }
          place = static_cast<std::size_t>(known - order.begin()) + 1;
        }
        values.emplace(path, rounded(value));
      }
      path.pop_back();
    }
  };
  visit(row);
  return in_disorder;
}

Cells cells_of(const std::vector<Row>& rows) {
  Cells cells;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto in_disorder = add(rows[i], cells);
    if (!in_disorder) continue;
    cells.whole.insert(*in_disorder);
    cells.rows.clear();
    cells.order.clear();
    i = static_cast<std::size_t>(-1);  // from the first row again
  }
  return cells;
}

Json& at_path(Json& object, const Path& path) {
  Json* place = &object;
  for (const auto& key : path) place = &(*place)[key];
  return *place;
}

void erase_path(Json& object, const Path& path) {
  Json* place = &object;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const auto found = place->find(path[i]);
    if (found == place->end()) return;
    place = &*found;
  }
  place->erase(path.back());
}

/// The shortest of the three ways to write a column.
Json column_of(std::vector<Json> cells) {
  const auto& first = cells.front();
  if (std::all_of(cells.begin(), cells.end(), [&](const Json& cell) { return cell == first; })) {
    return Json::array({first});
  }
  std::map<std::string, std::size_t> numbers;
  Json different = Json::array();
  Json which = Json::array();
  for (const auto& cell : cells) {
    const auto [known, is_new] = numbers.emplace(record::dump(cell), numbers.size());
    if (is_new) different.push_back(cell);
    which.push_back(known->second);
  }
  Json each = std::move(cells);
  if (each.size() < 3) return each;  // which has a meaning by its length
  const Json both = Json::array({std::move(different), std::move(which)});
  return record::dump(both).size() < record::dump(each).size() ? both : each;
}

/// Puts the values of row `index` of `columns` into `row`; whether any column has one for each row.
bool fill(const Json& columns, std::size_t rows, std::size_t index, Json& row) {
  bool has_each = rows == 1;
  for (const auto& [key, column] : columns.items()) {
    if (column.is_object()) {
      Json inner = Json::object();
      has_each = fill(column, rows, index, inner) || has_each;
      if (!inner.empty()) row[key] = std::move(inner);
      continue;
    }
    const auto refuse = [&, &name = key](const std::string& what) {
      throw std::runtime_error("columns: " + name + ": " + what);
    };
    if (!column.is_array() || column.empty()) refuse("not an array of values");
    const Json* cell = nullptr;
    if (column.size() == rows) {
      cell = &column[index];
      has_each = true;
    } else if (column.size() == 1) {
      cell = &column[0];
    } else {
      if (column.size() != 2 || !column[0].is_array() || !column[1].is_array() ||
          column[1].size() != rows) {
        refuse(std::to_string(column.size()) + " values, but there are " + std::to_string(rows) +
               " rows");
      }
      const auto& which = column[1][index];
      if (!which.is_number_unsigned() || which.get<std::size_t>() >= column[0].size()) {
        refuse("row " + std::to_string(index) + ": there is no such value");
      }
      cell = &column[0][which.get<std::size_t>()];
      has_each = true;
    }
    if (!cell->is_null()) row[key] = *cell;
  }
  return has_each;
}

}  // namespace

Json table_of(const std::vector<Row>& rows) {
  const Cells all = cells_of(rows);
  Json columns = Json::object();
  for (const auto& path : all.order) {
    std::vector<Json> cells;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto* cell = all.find(i, path);
      cells.push_back(cell == nullptr ? Json() : *cell);
    }
    at_path(columns, path) = column_of(std::move(cells));
  }
  return {{"rows", rows.size()}, {"columns", std::move(columns)}};
}

std::vector<Row> take_common(std::vector<Row>& rows, const std::vector<std::size_t>& group_of,
                             std::size_t groups) {
  const Cells all = cells_of(rows);
  std::vector<std::size_t> first(groups, rows.size());
  for (std::size_t i = rows.size(); i-- > 0;) first[group_of[i]] = i;
  const auto same = [](const Json* a, const Json* b) {
    return a == nullptr || b == nullptr ? a == b : *a == *b;
  };
  std::vector<Row> common(groups, Json::object());
  for (const auto& path : all.order) {
    bool is_common = true;
    for (std::size_t i = 0; i < rows.size() && is_common; ++i) {
      is_common = same(all.find(i, path), all.find(first[group_of[i]], path));
    }
    if (!is_common) continue;
    for (auto& row : rows) erase_path(row, path);
    for (std::size_t group = 0; group < groups; ++group) {
      if (first[group] == rows.size()) continue;
      const auto* cell = all.find(first[group], path);
      if (cell != nullptr) at_path(common[group], path) = *cell;
    }
  }
  return common;
}

void for_each_row(const Json& table, const std::function<void(Row&, std::size_t)>& take) {
  if (!table.is_object()) throw std::runtime_error("neither an array nor a table");
  const auto rows = table.find("rows");
  const auto columns = table.find("columns");
  if (rows == table.end() || !rows->is_number_unsigned() || columns == table.end() ||
      !columns->is_object()) {
    throw std::runtime_error("not a table: it has no rows and columns");
  }
  const auto count = rows->get<std::size_t>();
  for (std::size_t i = 0; i < count; ++i) {
    Row row = Json::object();
    // Else a file of a line could make any number of rows.
    if (!fill(*columns, count, i, row)) {
      throw std::runtime_error("rows: no column has " + std::to_string(count) + " values");
    }
    take(row, i);
  }
}

}  // namespace apod::files
