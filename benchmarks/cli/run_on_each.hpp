#pragma once

/// \file
/// A study on several GPUs of this machine: on each a run of its own, and one result of all.

#include <string>

#include "benchmarks/cli/measuring.hpp"
#include "benchmarks/cli/options.hpp"
#include "kernels/api/registry.hpp"

namespace apod::cli {

/// Which GPUs --device and --spread mean: options.gpus where each gets a run of its own, else
/// options.device. Throws std::runtime_error where one is not there, and where those that share a
/// study's cases are of several models.
void choose_gpus(Options& options, const Registry& registry);

/// What becomes of them, in a sentence.
std::string on_each_text(const Options& options);

/// Starts a run on each of options.gpus: of a shard with --spread, else of everything. Each is what
/// a user may start by hand. Merges what they measured into the outputs, and returns the exit code.
/// The parts are removed once they are merged; where a run failed or something is missing, they are
/// kept, and the same command goes on.
int run_on_each(const Options& options, const RunFiles& files);

}  // namespace apod::cli
