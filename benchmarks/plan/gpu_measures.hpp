#pragma once

/// \file
/// What `measure` asks of a GPU alone.

#include <string>

#include "benchmarks/base/diagnostic.hpp"
#include "benchmarks/base/plan.hpp"
#include "kernels/api/registry.hpp"

namespace apod::plan {

/// A mistake for each experiment that asks of its host cases what only a GPU has.
void check_gpu_measures(const ExperimentConfig& config, const Plan& plan, Diagnostics& diagnostics);

/// Says so where nobody here knows whether the metrics that `counters` names exist; else empty.
std::string unchecked_metrics(const ExperimentConfig& config, const Registry& registry);

}  // namespace apod::plan
