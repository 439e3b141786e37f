#pragma once

#include <stdexcept>
#include <vector>

#include "benchmarks/base/calibration.hpp"
#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// Too little was measured to tell any spread.
class NothingToCalibrate : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Splits the variance of every case into three parts: between the samples of a process (which the
/// side must have been read with), between the processes of a session, and between sessions.
/// `alpha` is that of the floors. A case is left out that failed, or has not as many processes in
/// every session as most cases have. Throws NothingToCalibrate for fewer than two sessions, and
/// where no case has the same number of processes in every session.
Calibration calibrate(const Side& sessions, double alpha);

/// What a comparison takes as known of every case, in their order.
///
/// A few sessions say little about the variance of one case, but a good deal about that of forty.
/// So the variance of a session's mean is moderated over all cases
/// (stats::variance_prior), given fewest_for_prior cases and five sessions. The prior gets at most
/// the degrees of freedom of the case itself: all cases are measured in the same sessions, and are
/// not independent.
std::vector<KnownSpread> known_spreads(const Calibration& calibration);

}  // namespace apod::judge
