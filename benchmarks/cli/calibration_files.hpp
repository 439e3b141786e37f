#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/calibration.hpp"
#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/side.hpp"

namespace apod::cli {

/// Where `bench calibrate` puts a calibration that is given no name, and `bench compare` looks for
/// them: results/calibrations/<device>-<driver>-<config>.json where there is a results/, else the
/// same beside it.
std::string calibration_path(const Calibration& calibration);

/// Takes the spread between sessions from a calibration of this machine: from `file`, which must
/// fit (std::runtime_error where it does not), or, when `file` is empty, for each case from the
/// newest of those that fit and have it. These are looked for in results/calibrations, here and
/// beside the base's files or above them, where no other user can have put them. A spread given by
/// hand comes first. A note says what was passed over.
void apply_calibrations(const Side& base, const std::string& file, CompareOptions& options,
                        std::vector<std::string>& notes);

}  // namespace apod::cli
