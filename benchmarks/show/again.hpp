#pragma once

/// \file
/// Commands that repeat one case of a run or of a comparison.

#include <string>
#include <vector>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/result.hpp"

namespace apod::show {

/// `c` with its baseline, measured as it was. Empty where that is not known.
std::string again(const Result& result, const Case& c);
/// The case alone, judged again; empty where the comparison does not know its own command.
std::string again(const Comparison& comparison, const CaseComparison& c);

}  // namespace apod::show
