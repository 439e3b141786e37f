#pragma once

/// \file
/// What a plan is held against once its cases are known: the files of its data, and what only a GPU
/// has.

#include <string>

#include "benchmarks/base/diagnostic.hpp"
#include "benchmarks/base/plan.hpp"
#include "kernels/api/registry.hpp"

namespace apod::plan {

/// Adds one diagnostic for each size of an experiment that is larger than the file its data comes
/// from, at the place where the config names that size. Only headers are read.
void check_data(const ExperimentConfig& config, const Plan& plan, const Registry& registry,
                Diagnostics& diagnostics);

/// A mistake for each experiment that asks of its host cases what only a GPU has.
void check_gpu_measures(const ExperimentConfig& config, const Plan& plan, Diagnostics& diagnostics);

/// Says so where nobody here knows whether the metrics that `counters` names exist; else empty.
std::string unchecked_metrics(const ExperimentConfig& config, const Registry& registry);

}  // namespace apod::plan
