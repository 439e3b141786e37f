#pragma once

#include <vector>

#include "benchmarks/base/finding.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"

namespace apod::look {

/// The findings of each case of the plan, by its index; none for a case that was not measured.
/// `summaries` are those of the result.
std::vector<std::vector<Finding>> case_findings(const Result& result,
                                                const std::vector<CaseSummary>& summaries);

}  // namespace apod::look
