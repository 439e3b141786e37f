#pragma once

/// \file
/// Commands that repeat one case of a run or of a comparison.

#include <string>
#include <vector>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/result.hpp"

namespace apod::show {

/// The command that measures `c` and its baseline again. Empty if unknown.
std::string again(const Result& result, const Case& c);
/// The command that judges the case alone; empty if the comparison does not know its own command.
std::string again(const Comparison& comparison, const CaseComparison& c);

}  // namespace apod::show
