#pragma once

/// \file
/// Runs any program with the library in it that records its work on GPUs.

#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/recording.hpp"
#include "kernels/api/registry.hpp"

namespace apod::run {

struct InspectedProgram {
  std::vector<std::string> words;  ///< its name and its arguments
  std::string library;             ///< libapodinspect.so, by its whole path
  // What is recorded; by default everything.
  std::string range;      ///< while this NVTX range is open, see TraceWindow
  double delay_s = 0;     ///< from so long after the start
  double duration_s = 0;  ///< so long; 0: to the end
  std::vector<std::pair<std::string, std::string>>
      variables{};      ///< environment variables that it or the library reads
  bool silent = false;  ///< its standard output and errors go nowhere, and it reads nothing
};

/// The environment that makes a program and its children write their records into `folder`.
std::vector<std::pair<std::string, std::string>> recording_variables(
    const InspectedProgram& program, const std::string& folder);

/// The tool that traces every program started here, so that we can't; empty: none.
std::string other_tool();

/// What traces the programs started here: libapodinspect.so, by its absolute path. If it is empty,
/// `why_none` says what is missing.
struct Tracing {
  std::string library;
  std::string why_none;
};
/// Checks the tools, the library (empty: there is none) and the GPUs of this machine.
Tracing tracing_by(std::string library, const Registry& registry);

/// The recordings that the processes of a program have written into the folder. If nothing was
/// traced, notes say why.
Recording recorded_in(const std::string& folder);

/// Runs the program to its end, with our standard streams. A Ctrl-C at the terminal reaches it as
/// it reaches us; SIGTERM, SIGHUP and signals from other processes are passed on. The recording
/// covers all its processes, with its exit code; if nothing was traced, notes say why. Throws
/// std::system_error and std::runtime_error as os::Child does if it can't be started.
Recording run_inspected(const InspectedProgram& program);

}  // namespace apod::run
