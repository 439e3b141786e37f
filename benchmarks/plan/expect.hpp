#pragma once

#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"

namespace apod::plan {

/// Whether the rule applies to the case: its `where` holds, and the case has a baseline if the fact
/// compares with one.
bool selects(const Expectation& expectation, const Case& c);

/// Checks every expectation of the plan against the facts of the measured cases it selects. A rule
/// is undecided if a measured case does not have the fact, if the limit lies within the fact's 95 %
/// interval, and, with one outcome at the first of its cases, if none of them was measured. A rule
/// that selects no case of the plan has no outcome: expand() reports it. A rule that selects none
/// of the cases that a command had is missed. In order of experiment, rule, case.
std::vector<ExpectationOutcome> check_expectations(const Result& result,
                                                   const std::vector<CaseSummary>& summaries);

}  // namespace apod::plan
