#pragma once

#include "benchmarks/base/measurement.hpp"

namespace apod::record {

/// Throws std::runtime_error, "samples_s: [3]: -1e-06 is not a time", if a value lies outside of
/// what can be measured: a time is finite and not negative, a number of processes or samples is
/// plausible. A record that was damaged on the disk may still be JSON.
void check(const Measurement& measurement);

}  // namespace apod::record
