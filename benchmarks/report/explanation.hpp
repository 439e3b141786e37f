#pragma once

/// \file
/// Why each case takes its time: what its traced run showed, and what follows from that.

#include <iosfwd>

#include "benchmarks/report/report.hpp"

namespace apod::report {

/// A section for each measured case that was traced or has findings: its time, the timeline in one
/// line, the findings with their evidence and advice, and the kernels, copies and calls that took
/// most time.
void write_explanation(std::ostream& out, const Result& result, const ConsoleStyle& style);
void write_explanation_markdown(std::ostream& out, const Result& result);

}  // namespace apod::report
