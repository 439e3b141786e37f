#pragma once

#include <cstddef>
#include <optional>

#include "benchmarks/base/diagnostic.hpp"
#include "benchmarks/base/experiment.hpp"

namespace apod::plan {

/// How many cases the product of all axes has, or nothing and a diagnostic if they are too many:
/// more than `max_cases`, with too long names, or for their rules.
std::optional<std::size_t> count_within_limits(const ExperimentConfig& config,
                                               std::size_t max_cases, Diagnostics& diagnostics);

}  // namespace apod::plan
