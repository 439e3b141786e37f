#pragma once

/// \file
/// Runs the command of a case: its setup, the command, its cleanup, each a program and its words,
/// and reads its output. No shell is involved.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/measurement.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/os/program.hpp"
#include "benchmarks/run/inspected_program.hpp"
#include "benchmarks/run/other_load.hpp"
#include "benchmarks/run/prepared_case.hpp"

namespace apod::run {

using Variables = std::vector<std::pair<std::string, std::string>>;
/// One process of the item's command, with these in its environment.
using TracedRun = std::function<void(const record::WorkItem&, Variables)>;

/// Traces one process of the command, or, if its cases are found in its output, one for each wanted
/// case, until one used no GPU. If nothing is traced, notes say why; if that is known beforehand,
/// nothing is run.
void trace_command(const record::WorkItem& item, const Tracing& tracing, const TracedRun& run,
                   const CaseHooks& hooks, Measurement& measurement);

class CommandRunner {
 public:
  /// `group` is that of the programs, `gpu` the UUID of the only one that they see; empty: all of
  /// them. Makes a temporary folder, so it must be made before a GPU is open. Throws
  /// std::runtime_error.
  CommandRunner(os::Group group, std::string gpu, Tracing tracing)
      : group_(group), gpu_(std::move(gpu)), tracing_(std::move(tracing)) {}

  /// One process of the command; with Pass::profile as many as it asks for, with Pass::trace a
  /// traced one, or, if its cases are found in its output, one for each wanted case. As with
  /// CaseRunner::run, an error is the measurement's `failed`. Throws Cancelled if hooks.cancelled()
  /// returns true; all started processes have ended then.
  Measurement run(const record::WorkItem& item, const CaseHooks& hooks);

 private:
  /// A folder that no process had before.
  std::string fresh_scratch();

  const os::Group group_;
  const std::string gpu_;
  const Tracing tracing_;
  const os::TemporaryFolder folder_;
  std::size_t processes_ = 0;  ///< number of processes that had a scratch folder
  OtherLoad others_;
};

}  // namespace apod::run
