#pragma once

/// \file
/// The progress of long measurements: one bar for every command.

#include <optional>

#include "benchmarks/base/result.hpp"
#include "benchmarks/cli/progress.hpp"
#include "benchmarks/run/session.hpp"

namespace apod::cli {

/// Progress on standard error, of `steps` that take `estimated_s` in all (0: unknown); nothing if
/// `quiet`.
std::optional<Progress> progress_on_stderr(bool quiet, std::size_t steps, double estimated_s);

/// Runs the session with its progress on standard error. Ends in good order when a signal asks for
/// it; see watch_signals().
Result run_with_progress(Plan plan, const Registry& registry, const run::SessionOptions& session,
                         bool quiet);

}  // namespace apod::cli
