#pragma once

#include <iosfwd>

#include "benchmarks/base/result.hpp"

namespace apod::files {

/// A superset of Google Benchmark's JSON, schema 1: see docs/result-format.md. Written row by row,
/// so that a result of 10,000 cases needs no second copy in memory.
void write_json(std::ostream& out, const Result& result);

}  // namespace apod::files
