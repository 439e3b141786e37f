#pragma once

#include "benchmarks/model/calibration.hpp"
#include "benchmarks/report/document.hpp"

namespace apod::report {

/// One row a case; warns where the threshold lies under a floor.
Document calibration_document(const Calibration& calibration);

}  // namespace apod::report
