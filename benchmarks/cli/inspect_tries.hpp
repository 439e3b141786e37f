#pragma once

/// \file
/// `bench inspect --try`: the program runs again, with one thing switched from outside.

#include <vector>

#include "benchmarks/base/recording.hpp"
#include "benchmarks/cli/inspect_options.hpp"
#include "benchmarks/cli/inspection.hpp"

namespace apod::cli {

/// Runs the program of the request in rounds: once without and once with each switch, in an order
/// that turns from round to round. `first` is the first run without. The unit is the process: of
/// each its median step counts, or the run where nothing repeats. A switch with which the program
/// fails is given up.
std::vector<TriedSwitch> try_switches(const InspectRequest& request, const Inspection& first);

}  // namespace apod::cli
