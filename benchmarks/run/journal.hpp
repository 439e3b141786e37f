#pragma once

/// \file
/// What a run has finished so far, one line a case, so that a crash, a kill or a power cut loses
/// the case in hand and nothing else.

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/model/measurement.hpp"
#include "benchmarks/model/plan.hpp"
#include "benchmarks/os/claim.hpp"
#include "benchmarks/record/codec.hpp"

namespace apod::run {

/// Identity of a plan, each part of it 16 hex digits.
struct Fingerprint {
  std::string cases;
  /// Of files their size and time of change; not their content, which may be gigabytes.
  std::string data;
  std::string measuring;  ///< the way the cases are measured

  bool operator==(const Fingerprint&) const = default;
};

/// Which run a journal belongs to. Samples of two runs that differ in any of these must not be
/// mixed.
struct RunIdentity {
  Fingerprint plan;
  std::string build;    ///< git revision of the program
  std::string device;   ///< the GPU's UUID, or "host" and its processor
  std::string command;  ///< for people, not compared
};

/// Timeouts, thresholds and expectations may change between a run and its resumption, for they
/// change no sample: they are no part of it.
Fingerprint fingerprint(const Plan& plan);

/// What of two runs differs, as a sentence: "it was made by build 1a2b3c, this is build 4d5e6f".
/// Empty when nothing does.
std::string difference(const RunIdentity& journal, const RunIdentity& run);

struct JournalEntry {
  Measurement measurement;
  record::Pass pass = record::Pass::measure;  ///< or trace, or counters
};

/// What an interrupted run left behind.
struct JournalContent {
  RunIdentity identity;
  std::uint64_t order_seed = 0;
  std::vector<JournalEntry> entries;
  std::size_t lost = 0;  ///< lines that hold nothing to be believed
};

/// Reads a journal. A line is damaged where its checksum does not fit, or a value lies outside of
/// what can be measured: what it held is measured again.
/// Throws std::runtime_error when there is no such file or when it is no journal.
JournalContent read_journal(const std::string& path);

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
  /// Goes on with the journal at `path`, whose content is `content` then. Throws std::runtime_error
  /// where there is none, it is no journal, it belongs to another run, or is in use by one.
  Journal(std::string path, const RunIdentity& identity, JournalContent& content);

  /// Throws std::runtime_error when the disk is full; what was written before stays.
  void append(const JournalEntry& entry);
  /// The run is over and its result is safe: removes the file, unless another has its place.
  void discard();

 private:
  /// Puts a journal of our own, and locked, in the place of what is at `path_`; that is kept under
  /// another name where `kept` wants to know it.
  void replace(const RunIdentity& identity, std::uint64_t order_seed,
               const std::vector<JournalEntry>& entries, std::string* kept);

  std::string path_;
  os::Descriptor file_;
};

}  // namespace apod::run
