#pragma once

#include <string>

#include "benchmarks/show/document.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Prints what can be measured, and returns the exit code. `what` is a workload, "facts" (and
/// findings) or "all"; empty: shipped configs and the names of workloads, on one screen. Throws
/// UsageError, with similar names, for another word.
int list(const Registry& registry, const std::string& what, show::ConsoleStyle style);

/// Says which variants name a workload that is not there: a slip in their registration.
void warn_of_strays(const Registry& registry);

}  // namespace apod::cli
