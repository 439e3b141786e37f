#pragma once

#include <iosfwd>
#include <utility>
#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/files/record/archive.hpp"

namespace apod::files {

/// A superset of Google Benchmark's JSON, schema 1: see docs/formats.md. Written row by row,
/// so that a result of 10,000 cases needs no second copy in memory. A thin result is written as
/// tables instead.
void write_json(std::ostream& out, const Result& result);

/// One of Google Benchmark's `iteration` rows: what one process measured of one case.
record::Json row_of(const Measurement& measurement, const Case& info, const Experiment& experiment,
                    int family_instance, int repetition, int repetitions);

/// Elements of the case's problem, from its `size`; 0 where that is neither a count nor a shape.
double items_of(const Params& params);

/// The rates of a row, by their keys: of a process that took `time_s`, for so many items.
std::vector<std::pair<const char*, double>> rates_of(const Measurement& measurement, double items,
                                                     const Experiment& experiment, double time_s);

}  // namespace apod::files
