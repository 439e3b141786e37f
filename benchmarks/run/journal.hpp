#pragma once

/// \file
/// What a run has finished so far, one line a case, so that a crash, a kill or a power cut loses
/// the case in hand and nothing else.

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

/// What an interrupted run left behind.
struct JournalContent {
  /// Nothing: the file is empty, for its run was killed before it could write a line.
  std::optional<RunIdentity> identity;
  std::uint64_t order_seed = 0;
  std::vector<JournalEntry> entries;
  std::size_t lost = 0;  ///< lines that hold nothing to be believed
};

/// A line of a journal: "0123456789abcdef M RECORD", the checksum of what follows it, the pass.
std::string checked_line(record::Pass of, const std::string& record);

/// Reads a journal. A line is damaged where its checksum does not fit, or a value lies outside of
/// what can be measured: what it held is measured again. Throws std::runtime_error when there is no
/// such file or when it is not a journal.
JournalContent read_journal(const std::string& path);

/// How many lines of a journal are whole, by their checksums. Throws as read_journal.
std::size_t count_entries(const std::string& path);

/// As read_journal, for the run that goes on with it. Throws std::runtime_error also when the
/// journal belongs to another run.
JournalContent read_journal_of(const std::string& path, const RunIdentity& run);

/// Drops, and counts as lost, the entries that are of no case of `plan`, and those that are there
/// twice.
void drop_strangers(JournalContent& content, const Plan& plan);

/// Appends finished cases, each flushed to the disk before the next one begins. While it lives the
/// file is locked, so that two runs never share one.
class Journal {
 public:
  Journal() = default;  ///< keeps nothing
  /// Starts a new journal. One that is there already is the unfinished work of an earlier run: it
  /// is kept under a name of its own, which `kept` is set to. Throws std::runtime_error when the
  /// file can't be written or is in use by another run; an older journal is untouched then.
  Journal(std::string path, const RunIdentity& identity, std::uint64_t order_seed,
          std::string& kept);
  /// Goes on with the journal at `path`, whose content is `content` then; `order_seed` becomes that
  /// of the journal unless it is empty. Throws std::runtime_error as read_journal_of, and when the
  /// file is in use by another run.
  Journal(std::string path, const RunIdentity& identity, std::uint64_t& order_seed,
          JournalContent& content);

  /// Writes the entry, and first those that could not be written before. Where the disk is full,
  /// what it does not take is kept here.
  void append(const JournalEntry& entry);
  /// Tries again to write what is kept here.
  void retry();
  std::size_t written() const { return written_; }             ///< entries on the disk
  std::size_t unwritten() const { return unwritten_.size(); }  ///< entries kept here
  /// Why the last of them could not be written; empty when it could.
  const std::string& problem() const { return problem_; }

  /// The run is over and its result is safe: removes the file, unless another has its place.
  void discard();

 private:
  /// Puts a journal of our own, and locked, in the place of what is at `path_`; that is kept under
  /// another name where `kept` wants to know it.
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
