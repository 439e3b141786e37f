#pragma once

/// \file
/// What a run has finished so far, one line a case, so that a crash, a kill or a power cut loses
/// the case in hand and nothing else.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "benchmarks/model/measurement.hpp"
#include "benchmarks/model/plan.hpp"

namespace apod::run {

/// Identity of a plan: the same cases, measured in the same way. Written as 16 hex digits.
std::string fingerprint(const Plan& plan);

struct JournalEntry {
  Measurement measurement;
  bool trace_pass = false;
};

/// What an interrupted run left behind.
struct JournalContent {
  std::string fingerprint;
  std::uint64_t order_seed = 0;
  std::vector<JournalEntry> entries;
};

/// Reads a journal; a torn last line is dropped. Throws std::runtime_error when there is no such
/// file or when it is no journal.
JournalContent read_journal(const std::string& path);

/// Appends finished cases, each flushed to the file before the next one begins.
class Journal {
 public:
  Journal() = default;  ///< keeps nothing
  /// Starts a new journal, or goes on with the one that holds `resumed`. Throws std::runtime_error
  /// when the file can't be written.
  Journal(std::string path, const std::string& fingerprint, std::uint64_t order_seed,
          const std::vector<JournalEntry>& resumed);
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;

  /// Throws std::runtime_error when the disk is full; what was written before stays.
  void append(const JournalEntry& entry);
  /// The run is over and its result is safe: removes the file.
  void discard();

 private:
  void write_line(const std::string& line);
  std::string path_;
  std::FILE* file_ = nullptr;
};

}  // namespace apod::run
