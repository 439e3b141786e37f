#pragma once

/// \file
/// Files like those of `nsys export --type sqlite`, made by hand: with the tables and columns that
/// a test names, because nsys writes only those that a version knows and a report needs.

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <stdexcept>
#include <string>

namespace apod::look {

class ExportFile {
 public:
  explicit ExportFile(const std::string& file) {
    if (sqlite3_open(file.c_str(), &database_) != SQLITE_OK) throw std::runtime_error("open");
    run("PRAGMA synchronous = OFF");  // a test need not survive a power failure
  }
  ~ExportFile() { sqlite3_close(database_); }
  ExportFile(const ExportFile&) = delete;
  ExportFile& operator=(const ExportFile&) = delete;

  ExportFile& run(const std::string& sql) {
    char* message = nullptr;
    sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message);
    if (message != nullptr) throw std::runtime_error(message);
    return *this;
  }
  /// What every export has.
  ExportFile& base(const std::string& schema = "3.7.2") {
    return run(
        "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
        "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'),"
        "('EXPORT_PRODUCT_VERSION', '2023.4'), ('EXPORT_SCHEMA_VERSION', '" +
        schema +
        "');"
        "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
  }
  ExportFile& string(int id, const std::string& value) {
    return run("INSERT INTO StringIds VALUES (" + std::to_string(id) + ", '" + value + "')");
  }

  static constexpr const char* kernels =
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, "
      "blockZ, registersPerThread, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread)";
  static constexpr const char* copies =
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, bytes, copyKind, srcKind, dstKind)";
  static constexpr const char* calls =
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, "
      "nameId, returnValue)";
  static constexpr const char* ranges =
      "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid, domainId)";

 private:
  sqlite3* database_ = nullptr;
};

/// The first of a process's ids, as nsys packs them: the thread goes into the lower 24 bits.
inline std::string of_process(int process, int thread = 0) {
  return std::to_string((std::int64_t{process} << 24) + thread);
}

}  // namespace apod::look
