#pragma once

#include <vector>

#include "benchmarks/model/calibration.hpp"
#include "benchmarks/model/comparison.hpp"
#include "benchmarks/model/side.hpp"

namespace apod::compare {

/// Splits the variance of every case that all sessions measured: samples within a process,
/// processes within a session, sessions (stats::variance_components; the first from the samples,
/// which the side must have been read with). `alpha`: for the floors. Throws std::runtime_error for
/// fewer than two sessions, or where no case has two processes in each.
Calibration calibrate(const Side& sessions, double alpha);

/// What a comparison takes as known of every case, in their order.
///
/// A handful of sessions says little of one case's variance, and a good deal of forty cases', so
/// the variance of a session's mean and that of its processes are moderated over all cases
/// (stats::variance_prior). What all say counts for no more than what the case itself says: cases
/// are measured in the same sessions, and so are no independent witnesses.
std::vector<KnownSpread> known_spreads(const Calibration& calibration);

}  // namespace apod::compare
