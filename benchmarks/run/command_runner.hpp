#pragma once

/// \file
/// Runs the command of a case: its setup, itself, its cleanup, each a program and its words, and
/// reads what it says. No shell is involved.

#include <map>
#include <string>
#include <vector>

#include "benchmarks/base/measurement.hpp"
#include "benchmarks/base/os/new_file.hpp"
#include "benchmarks/base/os/program.hpp"
#include "benchmarks/run/inspected_program.hpp"
#include "benchmarks/run/other_load.hpp"
#include "benchmarks/run/prepared_case.hpp"

namespace apod::run {

class CommandRunner {
 public:
  /// `group` is that of the programs, `gpu` the UUID of the only one that they see; empty: all of
  /// them. Makes a temporary folder, so it must be made before a GPU is open. Throws
  /// std::runtime_error.
  CommandRunner(os::Group group, std::string gpu, Tracing tracing)
      : group_(group), gpu_(std::move(gpu)), tracing_(std::move(tracing)) {}

  /// One process of the command; with Pass::profile as many as it asks for, with Pass::trace a
  /// traced one, or where its cases are found in its output one for each that is wanted. As with
  /// CaseRunner::run, what goes wrong is the measurement's `failed`. Throws Cancelled when
  /// hooks.cancelled() said so; what was started has ended then.
  Measurement run(const record::WorkItem& item, const CaseHooks& hooks);

 private:
  /// Of a folder that no process had before.
  std::string fresh_scratch();

  const os::Group group_;
  const std::string gpu_;
  const Tracing tracing_;
  const os::TemporaryFolder folder_;
  std::size_t processes_ = 0;  ///< so many had a scratch folder
  OtherLoad others_;
};

}  // namespace apod::run
