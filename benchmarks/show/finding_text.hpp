#pragma once

/// \file
/// The findings of a trace, in words.

#include <map>
#include <string>
#include <vector>

#include "benchmarks/base/finding.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

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

}  // namespace apod::show
