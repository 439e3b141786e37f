#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/calibration.hpp"
#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/side.hpp"

namespace apod::cli {

/// Where `bench calibrate` writes a calibration without a given name, and `bench compare` looks for
/// them: results/calibrations/<device>-<driver>-<config>.json if there is a results/, else the
/// current folder.
std::string calibration_path(const Calibration& calibration);

/// Takes the spread between sessions from a calibration of this machine: from `file`, which must
/// fit (else std::runtime_error), or, if `file` is empty, for each case from the newest fitting
/// calibration that has it. These are looked for in results/calibrations, here and beside the
/// base's files or above them, where no other user can have put them. A spread given by hand comes
/// first. A note names the files that were skipped.
void apply_calibrations(const Side& base, const std::string& file, CompareOptions& options,
                        std::vector<std::string>& notes);

}  // namespace apod::cli
