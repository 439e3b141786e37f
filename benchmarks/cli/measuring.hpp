#pragma once

/// \file
/// The run itself, from a plan and the files it may use to results on the disk.

#include <string>
#include <vector>

#include "benchmarks/base/part.hpp"
#include "benchmarks/base/plan.hpp"
#include "benchmarks/cli/options.hpp"
#include "benchmarks/cli/planning.hpp"
#include "benchmarks/run/run_identity.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// What a run reads and writes, known to be good before it begins.
struct RunFiles {
  std::vector<std::string> outputs;
  std::string journal;  ///< empty where there is none
  run::RunIdentity identity;
  Shard shard;
  std::string gpu;       ///< the one that was asked for, by its UUID; empty: none was
  bool is_part = false;  ///< others of the study may be measured on this machine meanwhile
  StudyPart part;
  /// What the outputs of all shards are merged into; the outputs themselves where there is but one.
  std::vector<std::string> wholes;

  /// What continues a run that stopped.
  const char* again() const { return is_part ? "the same command" : "--resume"; }
};

/// Which run the journal is of.
run::RunIdentity identity_of(const Plan& plan, const Machine& machine, const Options& options);

/// Why --resume would not go on, or empty. Reads; changes nothing.
std::string resume_problem(const std::string& result, const std::string& journal,
                           const run::RunIdentity& identity);

/// How a run with this result ends.
int run_exit_code(const Result& result, const FailsToo& fail_on);

/// Measures the plan, writes and prints the result; returns the exit code.
int measure(Plan plan, const Registry& registry, const Options& options, const RunFiles& files);

}  // namespace apod::cli
