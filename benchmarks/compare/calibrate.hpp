#pragma once

#include <vector>

#include "benchmarks/model/calibration.hpp"
#include "benchmarks/model/side.hpp"

namespace apod::compare {

/// Splits the variance of every case that all sessions measured: samples within a process,
/// processes within a session, sessions (stats::variance_components; the first from the samples,
/// which the side must have been read with). Throws std::runtime_error for fewer than two sessions,
/// or where no case has two processes in each.
Calibration calibrate(const Side& sessions);

/// Standard deviation between sessions that a comparison should use for a case: its own, or that of
/// all cases together (their root mean square) where that is larger. A handful of sessions says
/// little of one case, and often nothing at all (0), but a good deal of forty.
double session_deviation(const Calibration& calibration, const CalibratedCase& c);

/// That of every case, in their order: for one case alone, all of them have to be looked at.
std::vector<double> session_deviations(const Calibration& calibration);

/// The smallest change of a case that two files of one session each can show, whatever the number
/// of their processes, among as many cases as the calibration has: a share.
double floor_of(const Calibration& calibration, const CalibratedCase& c, double alpha);

}  // namespace apod::compare
