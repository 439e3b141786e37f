#pragma once

/// \file
/// Any program, run with the library in it that records what it does on GPUs.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/recording.hpp"
#include "kernels/api/registry.hpp"

namespace apod::run {

struct InspectedProgram {
  std::vector<std::string> words;  ///< its name and its arguments
  std::string library;             ///< libapodinspect.so, by its whole path
  // What is recorded; by default all.
  std::string range;      ///< while this NVTX range is open, see TraceWindow
  double delay_s = 0;     ///< from so long after the start
  double duration_s = 0;  ///< so long; 0: to the end
};

/// What the environment of a program must hold, so that it and its children write what they do into
/// `folder`.
std::vector<std::pair<std::string, std::string>> recording_variables(
    const InspectedProgram& program, const std::string& folder);

/// Who traces every program that is started here, so that we can't; empty: nobody.
std::string other_tool();

/// What traces the programs that are started here: libapodinspect.so, by its whole path. Where it
/// is empty, `why_none` says what is missing.
struct Tracing {
  std::string library;
  std::string why_none;
};
/// Looks at the tools, the library (empty: there is none) and the GPUs that are here.
Tracing tracing_by(std::string library, const Registry& registry);

/// What the processes of a program have written into the folder. Where nothing was traced, notes
/// say why.
Recording recorded_in(const std::string& folder);

/// Runs the program to its end, with our standard streams. A Ctrl-C at the terminal reaches it as
/// it reaches us; SIGTERM, SIGHUP and what another process sends us are passed on. The recording is
/// of all its processes, with its exit code; where nothing was traced, notes say why. Throws
/// std::system_error and std::runtime_error as os::Child does where it can't be started.
Recording run_inspected(const InspectedProgram& program);

}  // namespace apod::run
