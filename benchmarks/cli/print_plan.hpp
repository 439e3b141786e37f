#pragma once

#include <cstddef>

#include "benchmarks/base/plan.hpp"
#include "benchmarks/show/document.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Prints the plan of a run that does not take place; returns the number of cases that would run.
std::size_t print_plan(const Plan& plan, const Registry& registry, const show::ConsoleStyle& style);

}  // namespace apod::cli
