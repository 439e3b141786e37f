#pragma once

/// \file
/// What is checked once the cases of a plan are known: its data files, and what only a GPU has.

#include <cstddef>
#include <optional>
#include <string>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/plan.hpp"
#include "kernels/api/registry.hpp"

namespace apod::plan {

/// How many cases the product of all axes has, or nothing and a diagnostic if they are too many:
/// more than `max_cases`, with too long names, or for their rules.
std::optional<std::size_t> count_within_limits(const ExperimentConfig& config,
                                               const Registry& registry, std::size_t max_cases,
                                               Diagnostics& diagnostics);

/// The axis for the size of the problem: every family's first.
inline constexpr const char* size_axis = "size";

/// Where the config names that value of the axis; `otherwise` if it is a default, or comes from a
/// flag.
SourcePlace place_of_value(const Experiment& experiment, const std::string& axis,
                           const AxisValue& value, SourcePlace otherwise);

/// Adds one diagnostic for each size of an experiment that exceeds its data file, at the place
/// where the config names that size. Only headers are read.
void check_data(const ExperimentConfig& config, const Plan& plan, const Registry& registry,
                Diagnostics& diagnostics);

/// A mistake for each experiment that asks of its host cases what only a GPU has.
void check_gpu_measures(const ExperimentConfig& config, const Plan& plan, Diagnostics& diagnostics);

/// A message if nothing on this machine knows whether the metrics of `counters` exist; else empty.
std::string unchecked_metrics(const ExperimentConfig& config, const Registry& registry);

}  // namespace apod::plan
