#pragma once

/// \file
/// What a run has finished so far, one line a case, so that a crash, a kill or a power cut loses
/// the case in hand and nothing else.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/model/measurement.hpp"
#include "benchmarks/model/plan.hpp"

namespace apod::run {

/// Identity of a plan: the same cases, measured in the same way, on the same data files (their size
/// and time of change; not their content, which may be gigabytes) and on the same `machine`: what
/// the caller puts there, such as build and device. Timeouts and expectations may change between a
/// run and its resumption: they change no sample. Written as 16 hex digits.
std::string fingerprint(const Plan& plan, const std::string& machine = "");

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

/// Reads a journal up to its first damaged line: that one and what follows are measured again.
/// Throws std::runtime_error when there is no such file or when it is no journal.
JournalContent read_journal(const std::string& path);

/// Whether a run that is still going on has the journal at `path`. Ask before moving it away: the
/// lock would go with it.
bool in_use(const std::string& path);

/// An open file descriptor, closed on destruction.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  int get() const { return value_; }
  explicit operator bool() const { return value_ >= 0; }

 private:
  int value_ = -1;
};

/// Appends finished cases, each flushed to the disk before the next one begins. While it lives the
/// file is locked, so that two runs never share one.
class Journal {
 public:
  Journal() = default;  ///< keeps nothing
  /// Starts a new journal, or goes on with the one that holds `resumed`. Throws std::runtime_error
  /// when the file can't be written or is in use by another run; an older journal is untouched
  /// then.
  Journal(std::string path, const std::string& fingerprint, std::uint64_t order_seed,
          const std::vector<JournalEntry>& resumed);

  /// Throws std::runtime_error when the disk is full; what was written before stays.
  void append(const JournalEntry& entry);
  /// The run is over and its result is safe: removes the file, unless another has its place.
  void discard();

 private:
  std::string path_;
  Descriptor file_;
};

}  // namespace apod::run
