#pragma once

#include <stdexcept>
#include <vector>

#include "benchmarks/model/calibration.hpp"
#include "benchmarks/model/comparison.hpp"
#include "benchmarks/model/side.hpp"

namespace apod::compare {

/// Too little was measured to tell any spread.
class NothingToCalibrate : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Splits the variance of every case that all sessions measured: samples within a process,
/// processes within a session, sessions (the first from the samples,
/// which the side must have been read with). `alpha`: for the floors. A case that lost a process in
/// some session is left out. Throws NothingToCalibrate for fewer than two sessions, or where no
/// case has as many processes in each, two or more.
Calibration calibrate(const Side& sessions, double alpha);

/// What a comparison takes as known of every case, in their order.
///
/// A handful of sessions says little of one case's variance, and a good deal of forty cases', so
/// the variance of a session's mean and that of its processes are moderated over all cases
/// (stats::variance_prior), where there are fewest_for_prior of them and five sessions or more.
/// What all say counts for no more than what the case itself says: cases are measured in the same
/// sessions, and so are no independent witnesses.
std::vector<KnownSpread> known_spreads(const Calibration& calibration);

}  // namespace apod::compare
