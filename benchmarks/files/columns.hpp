#pragma once

/// \file
/// Many JSON objects of a kind as one table of columns, in which no key occurs twice: this makes a
/// thin result small. Internal to files/.
///
///     {"rows": 3, "columns": {"process": [0, 1, 2], "traffic": {"bytes_read": [4096.0]}}}
///
/// A column takes the place of the value in a row. It is an array: of one value that all rows
/// share, of a value for each row, or, if that is shorter, of two arrays: the different values, and
/// for each row the index of its value. null: the row has no such value.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/files/record/archive.hpp"

namespace apod::files {

using Row = record::Json;

/// Empty values are left out. Numbers keep nine significant digits.
record::Json table_of(const std::vector<Row>& rows);

/// Moves out of `rows` what is equal in all rows of each group, and returns it, a row for each of
/// `groups` groups. `group_of[i]` is the group of rows[i].
std::vector<Row> take_common(std::vector<Row>& rows, const std::vector<std::size_t>& group_of,
                             std::size_t groups);

/// The numbers of a table's array while it is read, and what becomes of it in memory: of a long one
/// natural numbers in as few bytes as the largest of them takes, or other numbers as their bytes.
class Numbers {
 public:
  void clear();
  bool empty() const { return numbers_.empty(); }
  std::size_t size() const { return numbers_.size(); }
  /// False: it is a whole number that a double does not hold.
  bool add(double number);
  bool add(std::uint64_t number);
  bool add(std::int64_t number);
  record::Json packed() const;
  /// One by one.
  record::Json array() const;

 private:
  std::vector<double> numbers_;
  bool any_real_ = false;
  bool any_whole_ = false;
  double least_ = 0;
  double most_ = 0;
};
/// How many values an array has, packed or not; 0 of anything else.
std::size_t length_of(const record::Json& array);

/// A value of a column.
struct Cell {
  const record::Json* json = nullptr;  ///< null: it is the number
  double number = 0;
  bool is_real = false;  ///< the number has a point or an exponent in the file

  bool is_null() const { return json != nullptr && json->is_null(); }
  record::Json value() const;
};

struct Column;

/// Columns of one object, which may be within another one.
struct Columns {
  std::vector<Column> all;
  /// Of find(), by the number of the call.
  mutable std::vector<std::pair<const char*, const Column*>> answers{};

  /// Null: there is none. A reader asks for the same names in the same order for each row, so that
  /// the answer to its `call`th question is known from the row before.
  const Column* find(std::size_t call, const char* name) const;
};

/// The index of a row in each of the tables that a table is made of.
using RowIndex = std::array<std::size_t, 2>;

struct Column {
  std::string key;
  const record::Json* values = nullptr;  ///< null: `inner` are in an object
  const record::Json* which = nullptr;   ///< index of each row's value, if that is not its own
  std::size_t count = 0;                 ///< of `values`
  bool is_shared = false;                ///< one value of all rows
  std::size_t table = 0;                 ///< whose index counts
  Columns inner{};

  Cell at(const RowIndex& index) const;
  /// Whether the row has a value here.
  bool is_in(const RowIndex& index) const;
};

/// Reads the rows of a table, which it refers to. Throws std::runtime_error if it is not a table.
class Table {
 public:
  explicit Table(const record::Json& table);
  /// Columns that need not have a value for each row.
  Table(const record::Json& columns, std::size_t rows);
  /// Takes the columns of another table, whose rows have the second index, except those that it
  /// has.
  void join(Table other);
  std::size_t rows() const { return rows_; }
  const Columns& columns() const { return columns_; }
  /// Whether a row has a value of a column.
  bool has(const RowIndex& index, const char* key) const;
  /// A row as an object.
  Row row(const RowIndex& index) const;
  /// A whole number of a row; throws std::runtime_error where it has none.
  std::size_t count_at(const RowIndex& index, const char* key) const;

 private:
  std::vector<Column> columns_of(const record::Json& columns);

  std::size_t rows_;
  bool has_each_ = false;  ///< some column has a value for each row
  Columns columns_;
};

/// Calls `take(row, index)` for each row of a table. Throws std::runtime_error if it is not a
/// table.
void for_each_row(const record::Json& table, const std::function<void(Row&, std::size_t)>& take);

}  // namespace apod::files

namespace apod::record {

/// Fills a record from a row by its list of fields, as FileReader does from an object.
class RowReader {
 public:
  RowReader(const files::Columns& columns, const files::RowIndex& index)
      : columns_(columns), index_(index) {}

  template <class T>
  void operator()(const char* name, T& value) {
    const files::Column* const column = columns_.find(calls_++, name);
    if (column != nullptr) {
      read_member(name, [&] { read(*column, value); });
    } else {
      absent(value);
    }
  }
  template <class T>
  void if_any(const char* name, T& value) {
    (*this)(name, value);
  }
  template <class T>
  void derived(const char*, const T&) {}

 private:
  /// Where the row has no value, the member keeps its own; a map may be another row's.
  template <class T>
  static void absent(T& value) {
    if constexpr (Map<T>) value.clear();
  }
  template <class T>
  void read(const files::Column& column, T& value) {
    if (column.values == nullptr) {
      column.is_in(index_) ? read_object(column.inner, value) : absent(value);
    } else if (const files::Cell cell = column.at(index_); !cell.is_null()) {
      read_cell(cell, value);
    } else {
      absent(value);
    }
  }

  template <class T>
  static void read_cell(const files::Cell& cell, T& value) {
    if constexpr (std::same_as<T, double>) {
      if (cell.json == nullptr) {
        value = cell.number;
        return;
      }
    }
    cell.json == nullptr ? FileReader::read(cell.value(), value)
                         : FileReader::read(*cell.json, value);
  }

  template <class T>
  void read_object(const files::Columns& columns, T& value) {
    if constexpr (Map<T>) {
      read_map(columns, value);
    } else if constexpr (std::same_as<T, Params>) {
      value = {};
      for (const auto& column : columns.all) {
        if (!column.is_in(index_)) continue;
        AxisValue axis;
        read_member(column.key, [&] { read(column, axis); });
        value.set(column.key, std::move(axis));
      }
    } else if constexpr (Optional<T>) {
      read_object(columns, value.emplace());
    } else if constexpr (IsRecord<T>) {
      RowReader reader(columns, index_);
      fields(reader, value);
    } else {
      FileReader::read(Json::object(), value);  // which says what it should be
    }
  }

  /// Uses the entries that another row left, if the columns are in order, as those of ours are.
  template <class Map>
  void read_map(const files::Columns& columns, Map& map) {
    const auto by_key = [](const auto& a, const auto& b) { return a.key < b.key; };
    if (!std::is_sorted(columns.all.begin(), columns.all.end(), by_key)) {
      auto sorted = columns.all;
      std::sort(sorted.begin(), sorted.end(), by_key);
      return read_map(files::Columns{std::move(sorted)}, map);
    }
    auto next = map.begin();
    for (const auto& column : columns.all) {
      const bool is_object = column.values == nullptr;
      const auto cell = is_object ? files::Cell() : column.at(index_);
      if (is_object ? !column.is_in(index_) : cell.is_null()) continue;
      while (next != map.end() && next->first < column.key) next = map.erase(next);
      if (next == map.end() || next->first != column.key) next = map.try_emplace(next, column.key);
      read_member(column.key, [&] {
        is_object ? read_object(column.inner, next->second) : read_cell(cell, next->second);
      });
      ++next;
    }
    map.erase(next, map.end());
  }

  const files::Columns& columns_;
  files::RowIndex index_;
  std::size_t calls_ = 0;
};

}  // namespace apod::record
