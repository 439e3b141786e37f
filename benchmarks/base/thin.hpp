#pragma once

/// \file
/// Results that are kept for long: of each process its quantiles, counts and facts, and neither
/// samples nor anything that was recorded within the process.

#include "benchmarks/base/result.hpp"

namespace apod {

/// Without the samples of each process, but with their quantiles; without its timers, the clock of
/// each sample, and the profile and timeline of a traced pass. Facts, findings and notes stay; what
/// the samples say about the clock (clock_states.hpp) becomes a note.
Result thinned(Result result);

/// Whether it has gone through thinned() and has something to show for it.
bool is_thin(const Result& result);

/// What every report says where it would show more of a full result: "timers: not kept in a thin
/// result".
inline constexpr const char* not_kept = "not kept in a thin result";

}  // namespace apod
