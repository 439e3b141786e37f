#pragma once

#include "benchmarks/base/calibration.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

/// One row a case; warns where the threshold lies under a floor.
Document calibration_document(const Calibration& calibration);

}  // namespace apod::show
