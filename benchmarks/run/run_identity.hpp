#pragma once

/// \file
/// Which run a journal belongs to.

#include <string>

#include "benchmarks/base/plan.hpp"

namespace apod::run {

/// Identity of a plan, each part of it 16 hex digits.
struct Fingerprint {
  std::string cases;
  /// Of files their size and modification time, not their content, which may be gigabytes.
  std::string data;
  /// The way the cases are measured: "max_time=<16 hex digits> precision=...", a word for each key.
  std::string measuring;

  bool operator==(const Fingerprint&) const = default;
};

/// Samples of two runs that differ in any of these must not be mixed.
struct RunIdentity {
  Fingerprint plan;
  std::string build;    ///< git revision of the program
  std::string device;   ///< the GPU's UUID, or "host" and its processor
  std::string command;  ///< for people, not compared
};

/// Timeouts, thresholds and expectations may change between a run and its resumption, because they
/// change no sample: they are not part of it.
Fingerprint fingerprint(const Plan& plan);

/// The identity of a plan for merging its parts: its cases and the way they are measured, 16 hex
/// digits. Data files are identified only by their names, because their modification times differ
/// between machines.
std::string plan_identity(const Plan& plan);

/// What of two runs differs, as a sentence: "it was made by build 1a2b3c, this is build 4d5e6f".
/// Empty when nothing does.
std::string difference(const RunIdentity& journal, const RunIdentity& run);

}  // namespace apod::run
