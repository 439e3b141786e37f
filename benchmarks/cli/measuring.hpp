#pragma once

/// \file
/// The run itself, from a plan and the files it may use to results on the disk.

#include <string>
#include <vector>

#include "benchmarks/base/part.hpp"
#include "benchmarks/base/plan.hpp"
#include "benchmarks/cli/options.hpp"
#include "benchmarks/cli/planning.hpp"
#include "benchmarks/run/journal.hpp"
#include "benchmarks/run/session.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// The files that a run reads and writes, checked before it begins.
struct RunFiles {
  std::vector<std::string> outputs;
  std::string journal;  ///< empty if there is none
  run::RunIdentity identity;
  Shard shard;
  std::string gpu;       ///< the requested GPU, by its UUID; empty: none
  bool is_part = false;  ///< others of the study may be measured on this machine meanwhile
  StudyPart part;
  /// The outputs that all shards are merged into; of one shard, the outputs themselves.
  std::vector<std::string> wholes;

  /// What continues a run that stopped.
  const char* again() const { return is_part ? "the same command" : "--resume"; }
};

/// Why a run with such an output can't be resumed.
inline constexpr const char* no_journal =
    "leave out --resume: the first output has no journal (it is not a regular file)";

/// Opens the journal of a run, with what an earlier run left in it if it is resumed: of that only
/// what is of `plan`, if there is one. Another run's journal is put aside, and `again` is what
/// continues that run. Nothing without a path.
std::optional<run::Journal> open_journal(const Options& options, const std::string& path,
                                         const run::RunIdentity& identity, const Plan* plan,
                                         const char* again, run::SessionOptions& session);

/// Which run the journal is of.
run::RunIdentity identity_of(const Plan& plan, const Machine& machine, const Options& options);

/// Why --resume would not continue, or empty. Reads; changes nothing.
std::string resume_problem(const std::string& result, const std::string& journal,
                           const run::RunIdentity& identity);

/// How a run with this result ends.
int run_exit_code(const Result& result, const show::FailsToo& fail_on);

/// Measures the plan, writes and prints the result; returns the exit code.
int measure(Plan plan, const Registry& registry, const Options& options, const RunFiles& files);

}  // namespace apod::cli
