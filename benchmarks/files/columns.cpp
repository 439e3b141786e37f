#include "benchmarks/files/columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "benchmarks/files/json_pieces.hpp"

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

template <class Number>
Json packed(const Json& array) {
  std::vector<std::uint8_t> bytes(array.size() * sizeof(Number));
  auto* place = bytes.data();
  for (const auto& value : array) {
    const auto number = value.get<Number>();
    std::memcpy(place, &number, sizeof(Number));
    place += sizeof(Number);
  }
  return Json::binary(std::move(bytes), sizeof(Number));
}

template <class Number>
Json number_in(const Json::binary_t& bytes, std::size_t index) {
  Number number;
  std::memcpy(&number, bytes.data() + index * sizeof(Number), sizeof(Number));
  return number;
}

/// A value of an array, packed or not.
Json value_in(const Json& array, std::size_t index) {
  if (!array.is_binary()) return array[index];
  const auto& bytes = array.get_binary();
  return bytes.subtype() == sizeof(double) ? number_in<double>(bytes, index)
                                           : number_in<std::uint32_t>(bytes, index);
}

/// A table, in which the columns are an object and the number of rows is one.
const Json& checked(const Json& table) {
  if (!table.is_object()) throw std::runtime_error("neither an array nor a table");
  const auto rows = table.find("rows");
  const auto columns = table.find("columns");
  if (rows == table.end() || !rows->is_number_unsigned() || columns == table.end() ||
      !columns->is_object()) {
    throw std::runtime_error("not a table: it has no rows and columns");
  }
  return table;
}

}  // namespace

void pack(Json& array) {
  const auto all = [&](const auto& is) { return std::all_of(array.begin(), array.end(), is); };
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  if (all([](const Json& v) { return v.is_number_unsigned() && v.get<std::uint64_t>() <= most; })) {
    array = packed<std::uint32_t>(array);
  } else if (all([](const Json& v) { return v.is_number_float(); })) {
    array = packed<double>(array);
  }
}

std::size_t length_of(const Json& array) {
  if (array.is_array()) return array.size();
  if (!array.is_binary()) return 0;
  const auto& bytes = array.get_binary();
  return bytes.size() / bytes.subtype();
}

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

Table::Table(const Json& table)
    : Table(checked(table).at("columns"), checked(table).at("rows").get<std::size_t>()) {
  // Else a file of a line could make any number of rows.
  if (!has_each_ && rows_ > 1) {
    throw std::runtime_error("rows: no column has " + std::to_string(rows_) + " values");
  }
}

Table::Table(const Json& columns, std::size_t rows) : rows_(rows), columns_(columns_of(columns)) {}

std::vector<Table::Column> Table::columns_of(const Json& columns) {
  std::vector<Column> all;
  for (const auto& [key, column] : columns.items()) {
    auto& one = all.emplace_back();
    one.key = key;
    if (column.is_object()) {
      one.inner = columns_of(column);
      continue;
    }
    const auto refuse = [&](const std::string& what) {
      throw std::runtime_error("columns: " + one.key + ": " + what);
    };
    const auto length = length_of(column);
    if (length == 0) refuse("not an array of values");
    one.values = &column;
    one.is_shared = length == 1;
    has_each_ = has_each_ || length == rows_;
    if (one.is_shared || length == rows_) continue;
    if (length != 2 || length_of(column[0]) == 0 || length_of(column[1]) != rows_) {
      refuse(std::to_string(length) + " values, but there are " + std::to_string(rows_) + " rows");
    }
    has_each_ = true;
    one.values = &column[0];
    one.which = &column[1];
  }
  return all;
}

Json Table::Column::at(std::size_t index) const {
  if (which == nullptr) return value_in(*values, is_shared ? 0 : index);
  const auto place = value_in(*which, index);
  if (!place.is_number_unsigned() || place.get<std::size_t>() >= length_of(*values)) {
    throw std::runtime_error("columns: " + key + ": row " + std::to_string(index) +
                             ": there is no such value");
  }
  return value_in(*values, place.get<std::size_t>());
}

void Table::put(std::size_t index, Row& row) const {
  put(columns_, index, row);
}

std::size_t Table::count_at(std::size_t index, const char* key) const {
  Row row = Row::object();
  for (const auto& column : columns_) {
    if (column.key == key && column.values != nullptr) row[key] = column.at(index);
  }
  return files::count_at(row, key);
}

void Table::put(const std::vector<Column>& columns, std::size_t index, Row& row) {
  // A row that is used again has most keys already, in this order.
  auto next = row.begin();
  for (const auto& column : columns) {
    auto known = next != row.end() && next.key() == column.key ? next : row.find(column.key);
    if (column.values == nullptr) {
      if (known == row.end()) known = row.emplace(column.key, Row::object()).first;
      put(column.inner, index, *known);
      next = known->empty() ? row.erase(known) : std::next(known);
      continue;
    }
    auto cell = column.at(index);
    if (cell.is_null()) {
      if (known != row.end()) next = row.erase(known);
    } else if (known != row.end()) {
      *known = std::move(cell);
      next = std::next(known);
    } else {
      row.emplace(column.key, std::move(cell));
      next = row.end();
    }
  }
}

void for_each_row(const Json& table, const std::function<void(Row&, std::size_t)>& take) {
  const Table rows(table);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    Row row = Row::object();
    rows.put(i, row);
    take(row, i);
  }
}

}  // namespace apod::files
