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
  if (std::abs(number) < exact_below && number == std::trunc(number))
    return static_cast<std::int64_t>(number);
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

/// Adds a row; each new path comes after the path before it. Returns the object in which two keys
/// have another order than in an earlier row; nothing if all orders agree.
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
          if (known < next && path.size() > 1) in_disorder = Path(path.begin(), path.end() - 1);
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
  if (std::ranges::all_of(cells, [&](const Json& cell) { return cell == first; }))
    return Json::array({first});
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

/// A double holds every whole number up to this.
constexpr std::uint64_t exact = std::uint64_t{1} << 53;

/// A larger one is a real number, whatever it was written as.
bool is_whole(double number) {
  return std::abs(number) <= static_cast<double>(exact) && number == std::trunc(number);
}

/// How the numbers of a packed array are kept, as the subtype of its bytes. The first three are the
/// bytes of a natural number.
enum Packing : std::uint8_t { in_one = 1, in_two = 2, in_four = 4, reals = 8, numbers = 9 };

template <class Number>
Json packed_as(const std::vector<double>& all, Packing packing) {
  std::vector<std::uint8_t> bytes(all.size() * sizeof(Number));
  auto* place = bytes.data();
  for (const double value : all) {
    const auto number = static_cast<Number>(value);
    std::memcpy(place, &number, sizeof(Number));
    place += sizeof(Number);
  }
  return Json::binary(std::move(bytes), packing);
}

template <class Number>
double number_in(const Json::binary_t& bytes, std::size_t index) {
  Number number;
  std::memcpy(&number, bytes.data() + index * sizeof(Number), sizeof(Number));
  return static_cast<double>(number);
}

/// A value of an array, packed or not.
Cell cell_in(const Json& array, std::size_t index) {
  if (!array.is_binary()) return {.json = &array[index]};
  const auto& bytes = array.get_binary();
  switch (bytes.subtype()) {
    case in_one:
      return {.number = number_in<std::uint8_t>(bytes, index)};
    case in_two:
      return {.number = number_in<std::uint16_t>(bytes, index)};
    case in_four:
      return {.number = number_in<std::uint32_t>(bytes, index)};
    default:
      break;
  }
  const double number = number_in<double>(bytes, index);
  return {.number = number, .is_real = bytes.subtype() == reals || !is_whole(number)};
}

/// A table, in which the columns are an object and the number of rows is one.
const Json& checked(const Json& table) {
  if (!table.is_object()) throw std::runtime_error("must be an array or a table");
  const auto rows = table.find("rows");
  const auto columns = table.find("columns");
  if (rows == table.end() || !rows->is_number_unsigned() || columns == table.end() ||
      !columns->is_object()) {
    throw std::runtime_error("not a table: rows and columns are missing");
  }
  return table;
}

}  // namespace

void Numbers::clear() {
  numbers_.clear();
  any_real_ = any_whole_ = false;
  least_ = most_ = 0;
}

bool Numbers::add(double number) {
  any_real_ = true;
  numbers_.push_back(number);
  return true;
}

bool Numbers::add(std::uint64_t number) {
  if (number > exact) return false;
  any_whole_ = true;
  numbers_.push_back(static_cast<double>(number));
  most_ = std::max(most_, numbers_.back());
  return true;
}

bool Numbers::add(std::int64_t number) {
  if (number >= 0) return add(static_cast<std::uint64_t>(number));
  if (number < -static_cast<std::int64_t>(exact)) return false;
  any_whole_ = true;
  numbers_.push_back(static_cast<double>(number));
  least_ = std::min(least_, numbers_.back());
  return true;
}

Json Numbers::packed() const {
  if (any_real_) return packed_as<double>(numbers_, any_whole_ ? numbers : reals);
  const auto fits = [&](auto largest) { return least_ >= 0 && most_ <= largest; };
  if (fits(std::numeric_limits<std::uint8_t>::max()))
    return packed_as<std::uint8_t>(numbers_, in_one);
  if (fits(std::numeric_limits<std::uint16_t>::max()))
    return packed_as<std::uint16_t>(numbers_, in_two);
  if (fits(std::numeric_limits<std::uint32_t>::max()))
    return packed_as<std::uint32_t>(numbers_, in_four);
  return packed_as<double>(numbers_, numbers);
}

Json Numbers::array() const {
  Json all = Json::array();
  for (const double number : numbers_) {
    const bool is_real = !any_whole_ || !is_whole(number);
    all.push_back(Cell{.number = number, .is_real = is_real}.value());
  }
  return all;
}

std::size_t length_of(const Json& array) {
  if (array.is_array()) return array.size();
  if (!array.is_binary()) return 0;
  const auto& bytes = array.get_binary();
  return bytes.size() / (bytes.subtype() == numbers ? sizeof(double) : bytes.subtype());
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
    for (std::size_t i = 0; i < rows.size() && is_common; ++i)
      is_common = same(all.find(i, path), all.find(first[group_of[i]], path));
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
  if (!has_each_ && rows_ > 1)
    throw std::runtime_error("rows: no column has " + std::to_string(rows_) + " values");
}

Table::Table(const Json& columns, std::size_t rows) : rows_(rows), columns_{columns_of(columns)} {}

std::vector<Column> Table::columns_of(const Json& columns) {
  std::vector<Column> all;
  for (const auto& [key, column] : columns.items()) {
    auto& one = all.emplace_back();
    one.key = key;
    if (column.is_object()) {
      one.inner.all = columns_of(column);
      continue;
    }
    const auto refuse = [&](const std::string& what) {
      throw std::runtime_error("columns: " + one.key + ": " + what);
    };
    const auto length = length_of(column);
    if (length == 0) refuse("not an array of values");
    one.values = &column;
    one.count = length;
    one.is_shared = length == 1;
    has_each_ = has_each_ || length == rows_;
    if (one.is_shared || length == rows_) continue;
    if (length != 2 || length_of(column[0]) == 0 || length_of(column[1]) != rows_)
      refuse(std::to_string(length) + " values, but there are " + std::to_string(rows_) + " rows");
    has_each_ = true;
    one.values = &column[0];
    one.count = length_of(column[0]);
    one.which = &column[1];
  }
  return all;
}

const Column* Columns::find(std::size_t call, const char* name) const {
  if (call < answers.size() && answers[call].first == name) return answers[call].second;
  const auto found =
      std::ranges::find_if(all, [&](const auto& column) { return column.key == name; });
  if (call >= answers.size()) answers.resize(call + 1);
  answers[call] = {name, found == all.end() ? nullptr : &*found};
  return answers[call].second;
}

Cell Column::at(const RowIndex& index) const {
  const auto row = index[table];
  if (which == nullptr) return cell_in(*values, is_shared ? 0 : row);
  const Cell place = cell_in(*which, row);
  const bool is_natural = place.json == nullptr ? !place.is_real && place.number >= 0
                                                : place.json->is_number_unsigned();
  const auto number = !is_natural             ? 0
                      : place.json == nullptr ? static_cast<std::size_t>(place.number)
                                              : place.json->get<std::size_t>();
  if (!is_natural || number >= count) {
    throw std::runtime_error("columns: " + key + ": row " + std::to_string(row) +
                             ": the index of a value is out of range");
  }
  return cell_in(*values, number);
}

bool Column::is_in(const RowIndex& index) const {
  if (values != nullptr) return !at(index).is_null();
  return std::ranges::any_of(inner.all, [&](const auto& column) { return column.is_in(index); });
}

Json Cell::value() const {
  if (json != nullptr) return *json;
  if (is_real) return number;
  return number < 0 ? Json(static_cast<std::int64_t>(number))
                    : Json(static_cast<std::uint64_t>(number));
}

namespace {

void join_columns(std::vector<Column>& here, std::vector<Column>& there) {
  const auto by_key = [](const Column& a, const Column& b) { return a.key < b.key; };
  for (auto& column : there) {
    const auto known =
        std::ranges::find_if(here, [&](const auto& one) { return one.key == column.key; });
    if (known == here.end()) {
      here.push_back(std::move(column));
    } else if (known->values == nullptr && column.values == nullptr) {
      join_columns(known->inner.all, column.inner.all);
      std::sort(known->inner.all.begin(), known->inner.all.end(), by_key);
    }  // of one in two forms the first counts: ours write none such
  }
}

void set_table(std::vector<Column>& columns, std::size_t table) {
  for (auto& column : columns) {
    column.table = table;
    set_table(column.inner.all, table);
  }
}

Row row_of(const Columns& columns, const RowIndex& index) {
  Row row = Row::object();
  for (const auto& column : columns.all) {
    auto value = column.values == nullptr ? row_of(column.inner, index) : column.at(index).value();
    const bool is_absent = column.values == nullptr ? value.empty() : value.is_null();
    if (!is_absent) row.emplace(column.key, std::move(value));
  }
  return row;
}

}  // namespace

void Table::join(Table other) {
  set_table(other.columns_.all, 1);
  join_columns(columns_.all, other.columns_.all);
}

Row Table::row(const RowIndex& index) const {
  return row_of(columns_, index);
}

bool Table::has(const RowIndex& index, const char* key) const {
  return std::ranges::any_of(
      columns_.all, [&](const auto& column) { return column.key == key && column.is_in(index); });
}

std::size_t Table::count_at(const RowIndex& index, const char* key) const {
  Row row = Row::object();
  for (const auto& column : columns_.all) {
    if (column.key != key || column.values == nullptr) continue;
    const Cell cell = column.at(index);
    if (cell.json == nullptr && !cell.is_real && cell.number >= 0)
      return static_cast<std::size_t>(cell.number);
    row[key] = cell.value();
  }
  return files::count_at(row, key);
}

void for_each_row(const Json& table, const std::function<void(Row&, std::size_t)>& take) {
  const Table rows(table);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    Row row = rows.row({i, 0});
    take(row, i);
  }
}

}  // namespace apod::files
