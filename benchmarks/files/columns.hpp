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

#include <cstddef>
#include <functional>
#include <string>
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

/// A long array of a table as it is in memory, in a quarter or half the room: whole numbers below
/// 2^32, or numbers that all have a point or an exponent, as their bytes. Any other stays.
void pack(record::Json& array);
/// How many values an array has, packed or not; 0 of anything else.
std::size_t length_of(const record::Json& array);

/// Reads the rows of a table, which it refers to. Throws std::runtime_error if it is not a table.
class Table {
 public:
  explicit Table(const record::Json& table);
  /// Columns that need not have a value for each row.
  Table(const record::Json& columns, std::size_t rows);
  std::size_t rows() const { return rows_; }
  /// Puts the values of a row into an object, in place of those of another row. What else is there
  /// stays.
  void put(std::size_t index, Row& row) const;
  /// A whole number of a row; throws std::runtime_error where it has none.
  std::size_t count_at(std::size_t index, const char* key) const;

 private:
  struct Column {
    std::string key;
    const record::Json* values = nullptr;  ///< null: `inner` are in an object
    const record::Json* which = nullptr;   ///< index of each row's value, if that is not its own
    bool is_shared = false;                ///< one value of all rows
    std::vector<Column> inner;
    record::Json at(std::size_t index) const;
  };
  std::vector<Column> columns_of(const record::Json& columns);
  static void put(const std::vector<Column>& columns, std::size_t index, Row& row);

  std::size_t rows_;
  bool has_each_ = false;  ///< some column has a value for each row
  std::vector<Column> columns_;
};

/// Calls `take(row, index)` for each row of a table. Throws std::runtime_error if it is not a
/// table.
void for_each_row(const record::Json& table, const std::function<void(Row&, std::size_t)>& take);

}  // namespace apod::files
