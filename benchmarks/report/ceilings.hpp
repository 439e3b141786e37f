#pragma once

#include <iosfwd>
#include <string>

#include "benchmarks/model/ceilings.hpp"
#include "benchmarks/report/report.hpp"

namespace apod::report {

/// The ceilings as JSON, to be read again by read_ceilings.
void write_ceilings(std::ostream& out, const Ceilings& ceilings);
/// Throws std::runtime_error naming the file and what is wrong with it: absent, no JSON, another
/// kind of file, a value that is negative or no number.
Ceilings read_ceilings(const std::string& path);
/// A line for each ceiling; what was not measured says so.
void write_ceilings_table(std::ostream& out, const Ceilings& ceilings, const ConsoleStyle& style);

}  // namespace apod::report
