#pragma once

/// \file
/// What is checked once the cases of a plan are known: its data files, and what only a GPU has.

#include <string>

#include "benchmarks/base/diagnostic.hpp"
#include "benchmarks/base/plan.hpp"
#include "kernels/api/registry.hpp"

namespace apod::plan {

/// Adds one diagnostic for each size of an experiment that exceeds its data file, at the place
/// where the config names that size. Only headers are read.
void check_data(const ExperimentConfig& config, const Plan& plan, const Registry& registry,
                Diagnostics& diagnostics);

/// A mistake for each experiment that asks of its host cases what only a GPU has.
void check_gpu_measures(const ExperimentConfig& config, const Plan& plan, Diagnostics& diagnostics);

/// A message if nothing on this machine knows whether the metrics of `counters` exist; else empty.
std::string unchecked_metrics(const ExperimentConfig& config, const Registry& registry);

}  // namespace apod::plan
