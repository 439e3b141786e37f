#pragma once

/// \file
/// The finished measurements of a run, one line each, so that a crash, a kill or a power cut loses
/// only the current case.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/measurement.hpp"
#include "benchmarks/base/os/descriptor.hpp"
#include "benchmarks/files/record/codec.hpp"
#include "benchmarks/run/run_identity.hpp"

namespace apod::run {

struct JournalEntry {
  Measurement measurement;
  record::Pass pass = record::Pass::measure;  ///< or trace, counters, energy
};

/// What an interrupted run left in its journal.
struct JournalContent {
  /// Nothing: the file is empty, for its run was killed before it could write a line.
  std::optional<RunIdentity> identity;
  std::uint64_t order_seed = 0;
  std::vector<JournalEntry> entries;
  std::size_t lost = 0;  ///< lines that hold nothing to be believed
};

/// A line of a journal: "0123456789abcdef M RECORD", the checksum of what follows it, the pass.
std::string checked_line(record::Pass of, const std::string& record);

/// Reads a journal. A line is damaged if its checksum does not fit, or a value lies outside of what
/// can be measured; its measurement is repeated. Throws std::runtime_error if there is no such file
/// or if it is not a journal.
JournalContent read_journal(const std::string& path);

/// How many lines of a journal are whole, by their checksums. Throws as read_journal.
std::size_t count_entries(const std::string& path);

/// As read_journal, for the run that continues it. Throws std::runtime_error also if the journal
/// belongs to another run.
JournalContent read_journal_of(const std::string& path, const RunIdentity& run);

/// Drops, and counts as lost, the entries for no case of `plan`, and duplicates.
void drop_strangers(JournalContent& content, const Plan& plan);

/// Appends finished cases, each flushed to the disk before the next one begins. While it lives the
/// file is locked, so that two runs never share one.
class Journal {
 public:
  Journal() = default;  ///< keeps nothing
  /// Starts a new journal. An existing one is the unfinished work of an earlier run: it is kept
  /// under another name, which is stored in `kept`. Throws std::runtime_error if the file can't be
  /// written or is in use by another run; an older journal is untouched then.
  Journal(std::string path, const RunIdentity& identity, std::uint64_t order_seed,
          std::string& kept);
  /// Continues the journal at `path`, and stores its content in `content`; `order_seed` becomes
  /// that of the journal unless it is empty. Throws std::runtime_error as read_journal_of, and if
  /// the file is in use by another run.
  Journal(std::string path, const RunIdentity& identity, std::uint64_t& order_seed,
          JournalContent& content);

  /// Writes the entry, after those that could not be written before. On a full disk, what could not
  /// be written is kept here.
  void append(const JournalEntry& entry);
  /// Tries again to write what is kept here.
  void retry();
  std::size_t written() const { return written_; }             ///< entries on the disk
  std::size_t unwritten() const { return unwritten_.size(); }  ///< entries kept here
  /// Why the last of them could not be written; empty if it could.
  const std::string& problem() const { return problem_; }

  /// The run is over and its result is safe: removes the file, unless another has its place.
  void discard();

 private:
  /// Replaces the file at `path_` by a locked journal of our own; the old file is kept under
  /// another name if `kept` is given.
  void replace(const RunIdentity& identity, std::uint64_t order_seed,
               const std::vector<JournalEntry>& entries, std::string* kept);

  std::string path_;
  os::Descriptor file_;
  std::size_t size_ = 0;  ///< bytes of whole lines in the file
  std::size_t written_ = 0;
  std::deque<std::string> unwritten_;  ///< lines
  std::string problem_;
};

}  // namespace apod::run
