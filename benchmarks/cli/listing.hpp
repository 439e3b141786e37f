#pragma once

#include <string>

#include "benchmarks/show/document.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Prints what there is to measure: workloads, variants, axes, facts, findings and shipped configs.
/// With `workload` that one alone; throws UsageError, with names that may have been meant, where
/// there is none of that name. Returns the exit code.
int list(const Registry& registry, const std::string& workload, show::ConsoleStyle style);

/// Says which variants name a workload that is not there: a slip in their registration.
void warn_of_strays(const Registry& registry);

}  // namespace apod::cli
