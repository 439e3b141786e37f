#pragma once

/// \file
/// Why each case takes its time: what its traced run showed, and what follows from that.

#include <iosfwd>
#include <vector>

#include "benchmarks/model/finding.hpp"
#include "benchmarks/report/report.hpp"

namespace apod::report {

/// Findings of each case, by its index; cases beyond the end have none.
using CaseFindings = std::vector<std::vector<Finding>>;

/// A section for each measured case that was traced or has findings: its time, the timeline in one
/// line, the kernels, copies and calls that took most time, and the findings with their evidence
/// and advice.
void write_explanation(std::ostream& out, const Result& result, const CaseFindings& findings,
                       const ConsoleStyle& style);
void write_explanation_markdown(std::ostream& out, const Result& result,
                                const CaseFindings& findings);

}  // namespace apod::report
