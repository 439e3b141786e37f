#pragma once

/// \file
/// A study on several GPUs of this machine: a run on each, and one result of all.

#include <string>

#include "benchmarks/cli/measuring.hpp"
#include "benchmarks/cli/options.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Which GPUs --device and --spread mean: options.gpus if each gets a run of its own, else
/// options.device. Throws std::runtime_error if one does not exist, or if the GPUs that share a
/// study's cases are of several models.
void choose_gpus(Options& options, const Registry& registry);

/// What happens to the GPUs, in a sentence.
std::string on_each_text(const Options& options);

/// Starts a run on each of options.gpus: of a shard with --spread, else of everything. A user could
/// start each of them by hand. Merges the results into the outputs, and returns the exit code. The
/// parts are removed once they are merged; if a run failed or something is missing, they are kept,
/// and the same command continues.
int run_on_each(const Options& options, const RunFiles& files);

}  // namespace apod::cli
