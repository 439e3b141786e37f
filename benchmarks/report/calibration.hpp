#pragma once

#include <iosfwd>
#include <string>

#include "benchmarks/model/calibration.hpp"
#include "benchmarks/report/document.hpp"

namespace apod::report {

/// JSON, schema 2: see docs/calibrating.md.
void write_calibration(std::ostream& out, const Calibration& calibration);
/// Throws std::runtime_error, with the file and the place in it, for what is no calibration.
Calibration read_calibration(const std::string& file);

/// One row a case; warns where `threshold` (a share) lies under a floor.
Document calibration_document(const Calibration& calibration, double threshold);

inline void write_calibration_table(std::ostream& out, const Calibration& calibration,
                                    double threshold, const ConsoleStyle& style) {
  render_terminal(out, calibration_document(calibration, threshold), style);
}

}  // namespace apod::report
