#pragma once

#include <vector>

#include "benchmarks/model/finding.hpp"
#include "benchmarks/model/result.hpp"
#include "benchmarks/model/summary.hpp"

namespace apod::inspect {

/// What there is to say of each case of the plan, by its index; nothing of one that was not
/// measured. `summaries` are those of the result.
std::vector<std::vector<Finding>> case_findings(const Result& result,
                                                const std::vector<CaseSummary>& summaries);

}  // namespace apod::inspect
