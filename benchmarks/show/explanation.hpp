#pragma once

/// \file
/// Why each case takes its time: what its traced run showed, and what follows from that.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/base/finding.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

/// What stands where findings would.
inline constexpr const char* no_cause = "No cause of lost time was found.";
inline constexpr const char* no_ceilings =
    "no ceilings of this device were found (to measure them: bench ceilings)";

/// The facts of a timeline (see docs/measuring.md) in one line: "span 6.76 ms, busy 99.9 %, ...".
/// Absent facts are left out, and so are those that follow from others: idle beside busy, the
/// overlap in one stream, the share of copies if there are none. Empty if nothing is left.
std::string timeline_line(const std::map<std::string, double>& facts);

/// " (up to 38.0 % of the time)"; empty if no gain is known, or a negligible one.
std::string gain_text(const Finding& finding);

/// Severity, id, subject and estimated gain of each, then what shows it and what to try.
List findings_list(const std::vector<Finding>& findings);

/// A row each: id, severity, subject, evidence, advice, gain (a share of the time).
Table findings_table(const std::vector<Finding>& findings);

/// A section for each measured case that was traced or has findings: its time, the timeline in one
/// line, the findings with their numbers and advice, and the kernels, copies and calls that took
/// most time.
Document explanation_document(const Result& result);

/// Calls of the runtime and of the driver, at most `most`, those that took most time. Times and
/// numbers of calls are those of one of `steps` steps.
Table calls_table(const Profile& profile, std::size_t most, double steps = 1);
/// Kernels, copies, calls and NVTX ranges, a table each, likewise.
Document profile_tables(const Profile& profile, const DeviceFacts& device, std::size_t most);

/// The ceiling that a case comes closest to, and the findings that cost most, a line each.
List at_a_glance(const Result& result, const std::vector<CaseSummary>& summaries);

/// The most severe finding of a case, as a link to its explanation. Empty if it has none.
Cell finding_cell(const CaseSummary& summary);

/// The anchors of the cases' explanations.
std::string explanation_anchor(std::size_t case_index);

}  // namespace apod::show
