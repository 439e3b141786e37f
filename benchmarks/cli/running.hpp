#pragma once

#include "benchmarks/cli/options.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// What `bench --config` does with its options: plans, and measures or shows what would be. Returns
/// the exit code.
int run_experiments(const Options& options, const Registry& registry);

}  // namespace apod::cli
