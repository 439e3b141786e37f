#include "benchmarks/look/sqlite.hpp"

#include <sqlite3.h>

#include <cctype>
#include <charconv>
#include <filesystem>
#include <limits>
#include <string_view>
#include <utility>

#include "benchmarks/base/os/input_file.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/look/nsys_import.hpp"

namespace apod::look {
namespace {

namespace fs = std::filesystem;

/// How long a file that another program writes is waited for.
constexpr int patience_ms = 500;
/// How long one row may take, and after how many instructions of SQLite's machine that is looked
/// at.
constexpr std::chrono::seconds longest_row{10};
constexpr int instructions = 10'000;
/// No row takes less of a file: a pointer, a length and a rowid.
constexpr std::uintmax_t least_row_bytes = 4;

std::string message_of(const std::string& file, int code, sqlite3* database) {
  switch (code & 0xFF) {
    case SQLITE_NOTADB:
      return file + ": is not an SQLite file, or its start is damaged";
    case SQLITE_CORRUPT:
      return file + ": is damaged or cut off; export the report again";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return file +
             ": another program is still writing this file; wait until the export is finished";
    case SQLITE_INTERRUPT:
      return file + ": reading a row took longer than " + std::to_string(longest_row.count()) +
             " s; the file is damaged";
    case SQLITE_READONLY:  // to read it, SQLite would have to undo what a journal beside it began
      return file + ": the program that wrote this file was interrupted; export the report again";
    case SQLITE_CANTOPEN:
      return file + ": can't be opened";
    default:
      return file + ": " + (database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code));
  }
}

/// The header of the file. Throws where SQLite would say less: it reads an empty file as an empty
/// database, and calls everything else "not a database".
std::string header_of(const std::string& file) {
  const auto problem = os::input_problem(file, "an export of nsys");
  if (!problem.empty()) throw BadRecording(file + ": " + problem);
  std::string header(100, '\0');
  os::InputFile(file).read(header.data(), static_cast<std::streamsize>(header.size()));
  if (header.starts_with(std::string_view("SQLite format 3\0", 16))) return header;
  const auto extension = fs::path(file).extension().string();
  if (extension == ".nsys-rep" || extension == ".qdrep") {
    throw BadRecording(file + ": is an nsys report; export it first: nsys export --type sqlite " +
                       file);
  }
  if (extension == ".json") {
    throw BadRecording(file +
                       ": is not a recording; to print a result: bench show; to make a recording: "
                       "bench inspect --out FILE.json -- COMMAND");
  }
  throw BadRecording(file +
                     ": is not a recording: bench inspect reads its own .json files, traces of "
                     "PyTorch's profiler, and exports of nsys export --type sqlite");
}

/// Throws where the newest changes are not in the file, but in the log beside it.
void check_log(const fs::path& file) {
  std::error_code error;
  const auto log = file.string() + "-wal";
  const auto size = fs::file_size(log, error);
  if (error || size == 0) return;
  throw BadRecording(file.string() + ": its newest data is still in " + log +
                     "; wait until the export is finished");
}

/// The file as a URI for SQLite, which would take a name that looks like one for one. A file with a
/// write-ahead log is said to be unchanging: else reading it would leave two files beside it.
/// Source: SQLite, "Uniform Resource Identifiers" and "Database File Format" (bytes 18 and 19).
std::string uri_of(const std::string& file) {
  const auto header = header_of(file);
  std::error_code error;
  const auto path = fs::canonical(file, error);
  if (error || !fs::is_regular_file(path)) {
    throw BadRecording(file +
                       ": is an SQLite file, which can't be read from a pipe: name the file");
  }
  const bool logged = header[18] == 2 || header[19] == 2;
  if (logged) check_log(path);
  constexpr std::string_view hex = "0123456789ABCDEF";
  constexpr std::string_view plain = "/.-_";
  std::string uri = "file://";
  for (const char c : path.string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || plain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += {'%', hex[byte >> 4], hex[byte & 0xF]};
    }
  }
  return uri + (logged ? "?immutable=1" : "");
}

/// The name and the version of "KERNEL_V3"; 1 where it has none.
std::pair<std::string, std::size_t> without_version(const std::string& table) {
  const auto suffix = table.rfind("_V");
  std::size_t version = 0;
  if (suffix == std::string::npos || suffix == 0) return {table, 1};
  const char* end = table.data() + table.size();
  const auto [stop, error] = std::from_chars(table.data() + suffix + 2, end, version);
  if (error != std::errc{} || stop != end) return {table, 1};
  return {table.substr(0, suffix), version};
}

}  // namespace

void Rows::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

bool Rows::next() {
  if (!statement_) return false;
  *file_->end_ = SqliteFile::Clock::now() + longest_row;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) {
    // A damaged tree may lead to the same page again and again.
    if (left_-- == 0) file_->fail(SQLITE_CORRUPT);
    return true;
  }
  if (code != SQLITE_DONE) file_->fail(code);
  statement_.reset();
  return false;
}

bool Rows::is_empty(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

bool Rows::has_number(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

std::int64_t Rows::number(int column) const {
  return has_number(column) ? sqlite3_column_int64(statement_.get(), column) : 0;
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

int SqliteFile::is_late(void* end) {
  return Clock::now() > *static_cast<const Clock::time_point*>(end) ? 1 : 0;
}

void SqliteFile::fail(int code) const {
  throw BadRecording(message_of(file_, code, database_.get()));
}

SqliteFile::SqliteFile(std::string file)
    : file_(std::move(file)),
      end_(std::make_unique<Clock::time_point>(Clock::now() + longest_row)) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(uri_of(file_).c_str(), &database,
                                   SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(database, patience_ms);
  sqlite3_progress_handler(database, instructions, is_late, end_.get());
  // The schema is as foreign as the rest: no function that it names is run.
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Plain tables alone are read: a view or a virtual table can compute for ever, and a damaged
  // schema may call either a table. SQLite writes the statement of a plain one with these words.
  Rows tables = prepare(
      "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
      "WHERE m.type = 'table' AND m.rootpage > 0 AND m.sql LIKE 'CREATE TABLE %'");
  while (tables.next()) {
    const std::string stored(tables.text(0));
    const auto [name, version] = without_version(stored);
    auto& table = tables_[name];
    if (version < table.version) continue;
    if (stored != table.stored_as) table = {stored, version, {}};
    table.columns.emplace(tables.text(1));
  }
  constexpr std::size_t most_named = 5;
  Rows others = prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')");
  while (others.next()) {
    const std::string stored(others.text(0));
    const auto plain = tables_.find(without_version(stored).first);
    const bool is_read = plain != tables_.end() || stored.starts_with("sqlite_");
    if (!is_read && no_plain_tables_.size() < most_named) no_plain_tables_.push_back(stored);
  }
}

std::vector<std::string> SqliteFile::tables() const {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables_) names.push_back(name);
  return names;
}

Rows SqliteFile::rows(const std::string& table, const std::vector<std::string>& columns) const {
  const auto found = tables_.find(table);
  if (found == tables_.end()) return {};
  const auto& [stored_as, version, known] = found->second;
  const auto selected = [&](const std::string& column) {
    return known.contains(column) ? '"' + column + '"' : "NULL";
  };
  return prepare("SELECT " + text::joined(columns, ", ", selected) + " FROM \"" + stored_as + '"');
}

Rows SqliteFile::prepare(const std::string& query) const {
  Rows rows;
  rows.file_ = this;
  std::error_code ignored;
  rows.left_ = fs::file_size(file_, ignored) / least_row_bytes;
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), query.c_str(), -1, &statement, nullptr);
  rows.statement_.reset(statement);
  if (code != SQLITE_OK) fail(code);
  return rows;
}

}  // namespace apod::look
