#pragma once

/// \file
/// The GPU work of a command's processes, recorded by the library that CUDA loads into them.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/measurement.hpp"
#include "benchmarks/run/inspected_program.hpp"
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

}  // namespace apod::run
