#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/model/calibration.hpp"
#include "benchmarks/report/report.hpp"

namespace apod::report {

/// JSON, schema 1: see docs/calibrating.md.
void write_calibration(std::ostream& out, const Calibration& calibration);
/// Throws std::runtime_error, with the file and the place in it, for what is no calibration.
Calibration read_calibration(const std::string& file);

/// One row a case; `floors` are the smallest changes that two files can show, in the cases' order.
void write_calibration_table(std::ostream& out, const Calibration& calibration,
                             const std::vector<double>& floors, double threshold,
                             const ConsoleStyle& style);

}  // namespace apod::report
