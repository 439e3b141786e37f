#pragma once

#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"

namespace apod::plan {

/// Whether the rule is asked of the case: its `where` holds, and the case has a baseline when the
/// fact compares with one.
bool selects(const Expectation& expectation, const Case& c);

/// Holds every expectation of the plan against the facts of the measured cases it selects. A rule
/// about a fact that a measured case does not have is not met, and says so. A rule that selects
/// cases of which none was measured gives one unmet outcome ("selects no measured case", at the
/// first of them); one that selects no case of the plan gives none: expand() told of it. In order
/// of experiment, rule, case.
std::vector<ExpectationOutcome> check_expectations(const Result& result,
                                                   const std::vector<CaseSummary>& summaries);

}  // namespace apod::plan
