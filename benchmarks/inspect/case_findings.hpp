#pragma once

#include <vector>

#include "benchmarks/model/finding.hpp"
#include "benchmarks/model/result.hpp"
#include "benchmarks/model/summary.hpp"

namespace apod::inspect {

/// The findings of each case of the plan, by its index; none for a case that was not measured.
/// `summaries` are those of the result.
std::vector<std::vector<Finding>> case_findings(const Result& result,
                                                const std::vector<CaseSummary>& summaries);

}  // namespace apod::inspect
