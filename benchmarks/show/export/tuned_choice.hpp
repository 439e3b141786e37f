#pragma once

/// \file
/// What a search found, for programs: the choice of each shape as YAML and as a C++ header, and all
/// that was measured in the format of autotuners.

#include <iosfwd>

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/tuning.hpp"

namespace apod::exports {

/// The best of each shape with its interval, and how it was found.
void write_yaml(std::ostream& out, const Tuning& tuning);

/// A constexpr table with a row for each shape, and a function that picks the row of the nearest
/// shape: of numbers that with the least ratio, of words the same one.
void write_header(std::ostream& out, const Tuning& tuning);

/// T4, the results of autotuners (github.com/odgaard/TuningSchema, version 1.0.0), which Kernel
/// Tuner and its visualisers read: an entry for each configuration that was looked at.
void write_t4(std::ostream& out, const Tuning& tuning, const Result& result);

}  // namespace apod::exports
