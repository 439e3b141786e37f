#pragma once

#include <iosfwd>

#include "benchmarks/model/calibration.hpp"
#include "benchmarks/report/document.hpp"

namespace apod::report {

/// One row a case; warns where `threshold` (a share) lies under a floor.
Document calibration_document(const Calibration& calibration, double threshold);

inline void write_calibration_table(std::ostream& out, const Calibration& calibration,
                                    double threshold, const ConsoleStyle& style) {
  render_terminal(out, calibration_document(calibration, threshold), style);
}

}  // namespace apod::report
