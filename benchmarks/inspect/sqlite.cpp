#include "benchmarks/inspect/sqlite.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "benchmarks/inspect/nsys_import.hpp"

namespace apod::inspect {
namespace {

/// How long a file that another program writes is waited for.
constexpr int patience_ms = 500;

std::string message_of(const std::string& file, int code, sqlite3* database) {
  switch (code & 0xFF) {
    case SQLITE_NOTADB:
      return file + ": is no SQLite file, or its start is damaged";
    case SQLITE_CORRUPT:
      return file + ": is damaged or cut short; export it again";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return file + ": another program is writing it; wait until its export is finished";
    case SQLITE_CANTOPEN:
      return file + ": can't be opened";
    default:
      return file + ": " + (database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code));
  }
}

/// What can be said of a file before SQLite sees it: SQLite itself takes an empty one for an empty
/// database, and calls everything else "not a database".
void check_kind(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto status = fs::status(file, error);
  if (!fs::exists(status)) throw BadRecording(file + ": there is no such file");
  if (fs::is_directory(status)) throw BadRecording(file + ": is a folder, not an export of nsys");
  if (!fs::is_regular_file(status)) throw BadRecording(file + ": is no ordinary file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw BadRecording(file + ": can't be read (permission denied?)");
  std::string head(16, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (stream.gcount() == 0) throw BadRecording(file + ": is empty");
  if (head == std::string("SQLite format 3\0", 16)) return;
  const auto extension = fs::path(file).extension().string();
  if (extension == ".nsys-rep" || extension == ".qdrep") {
    throw BadRecording(file +
                       ": is a report in nsys's own format; export it first: "
                       "nsys export --type sqlite " +
                       file);
  }
  throw BadRecording(file + ": is no SQLite file; nsys export --type sqlite makes one of a report");
}

}  // namespace

void Rows::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

bool Rows::next() {
  if (!statement_) return false;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) throw BadRecording(message_of(file_, code, database_));
  statement_.reset();
  return false;
}

bool Rows::has(int column) const {
  return sqlite3_column_type(statement_.get(), column) != SQLITE_NULL;
}

std::int64_t Rows::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::uint32_t Rows::small_number(int column) const {
  const auto value = number(column);
  return value > 0 && value <= std::numeric_limits<std::uint32_t>::max()
             ? static_cast<std::uint32_t>(value)
             : 0;
}

std::string_view Rows::text(int column) const {
  const auto* bytes = sqlite3_column_text(statement_.get(), column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void SqliteFile::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

SqliteFile::SqliteFile(std::string file) : file_(std::move(file)) {
  check_kind(file_);
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(file_.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) throw BadRecording(message_of(file_, code, database));
  sqlite3_busy_timeout(database, patience_ms);
  // The schema is as foreign as the rest: no function that it names is run.
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Views are left out, because a view can compute for ever.
  Rows tables = prepare(
      "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
      "WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%'");
  while (tables.next()) tables_[std::string(tables.text(0))].insert(std::string(tables.text(1)));
}

bool SqliteFile::has_column(const std::string& table, const std::string& column) const {
  const auto found = tables_.find(table);
  return found != tables_.end() && found->second.contains(column);
}

Rows SqliteFile::rows(const std::string& table, const std::vector<std::string>& columns) const {
  if (!has_table(table)) return {};
  std::string list;
  for (const auto& column : columns) {
    if (!list.empty()) list += ", ";
    list += has_column(table, column) ? '"' + column + '"' : "NULL";
  }
  return prepare("SELECT " + list + " FROM \"" + table + '"');
}

Rows SqliteFile::prepare(const std::string& query) const {
  Rows rows;
  rows.file_ = file_;
  rows.database_ = database_.get();
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), query.c_str(), -1, &statement, nullptr);
  rows.statement_.reset(statement);
  if (code != SQLITE_OK) throw BadRecording(message_of(file_, code, database_.get()));
  return rows;
}

}  // namespace apod::inspect
