#pragma once

/// \file
/// An SQLite file of unknown origin, read and never written. Internal to look/.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace apod::look {

class SqliteFile;

/// Rows of one table, one after the other. A value that is absent (NULL, or its column is not
/// there) reads as 0 or as an empty text, and so does a number that is stored as something else.
class Rows {
 public:
  /// Goes to the first or the next row; false after the last one. Throws BadRecording for damage,
  /// among which are more rows than the file has room for, and a row that takes too long.
  bool next();
  bool is_empty(int column) const;  ///< NULL
  bool has_number(int column) const;
  std::int64_t number(int column) const;
  /// The number where it fits, else 0: no id and no size of a real trace is beyond.
  std::uint32_t small_number(int column) const;
  /// Valid until the next call of next().
  std::string_view text(int column) const;

 private:
  friend class SqliteFile;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  const SqliteFile* file_ = nullptr;
  std::uintmax_t left_ = 0;  ///< rows that the file may still have room for
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// A table goes by its name without the version of its layout: "KERNEL" of "KERNEL_V3". Of several
/// versions the latest is read.
class SqliteFile {
 public:
  /// Throws BadRecording for anything that is not a readable SQLite file.
  explicit SqliteFile(std::string file);

  bool has_table(const std::string& table) const { return tables_.contains(table); }
  /// All of them, in the order of their names.
  std::vector<std::string> tables() const;
  /// The first few views and virtual tables, which are not read.
  const std::vector<std::string>& no_plain_tables() const { return no_plain_tables_; }
  /// The named columns of every row, in the order of the file. Columns that this table does not
  /// have read as absent; a table that is not there has no rows. Throws BadRecording.
  Rows rows(const std::string& table, const std::vector<std::string>& columns) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  using Clock = std::chrono::steady_clock;
  friend class Rows;
  Rows prepare(const std::string& query) const;
  /// SQLite asks this from time to time: whether to stop, because the row takes too long.
  static int is_late(void* end);
  [[noreturn]] void fail(int code) const;

  std::string file_;
  std::unique_ptr<Clock::time_point> end_;  ///< when the current row is given up
  std::unique_ptr<sqlite3, Close> database_;
  struct Table {
    std::string stored_as;
    std::size_t version = 0;
    std::set<std::string> columns;
  };
  std::map<std::string, Table> tables_;
  std::vector<std::string> no_plain_tables_;
};

}  // namespace apod::look
