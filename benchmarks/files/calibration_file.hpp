#pragma once

#include <iosfwd>
#include <string>

#include "benchmarks/base/calibration.hpp"

namespace apod::files {

/// JSON, schema 2: see docs/calibrating.md.
void write_calibration(std::ostream& out, const Calibration& calibration);

/// Reads it. Throws std::runtime_error with the file and the place for any other file.
Calibration read_calibration(const std::string& file);

}  // namespace apod::files
