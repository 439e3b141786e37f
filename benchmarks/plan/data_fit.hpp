#pragma once

#include "benchmarks/base/diagnostic.hpp"
#include "benchmarks/base/plan.hpp"
#include "kernels/api/registry.hpp"

namespace apod::plan {

/// Adds one diagnostic for each size of an experiment that is larger than the file its data comes
/// from, at the place where the config names that size. Only headers are read.
void check_data(const ExperimentConfig& config, const Plan& plan, const Registry& registry,
                Diagnostics& diagnostics);

}  // namespace apod::plan
