#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/model/ceilings.hpp"
#include "benchmarks/report/document.hpp"

namespace apod::report {

/// The ceilings as JSON, to be read again by read_ceilings.
void write_ceilings(std::ostream& out, const Ceilings& ceilings);
/// Throws std::runtime_error naming the file and what is wrong with it: absent, no JSON, another
/// kind of file, a value that is negative or no number, no ceiling that was measured.
Ceilings read_ceilings(const std::string& path);
/// The ceilings, as a person calls them, that were measured in `these` and were not in `others`.
std::vector<std::string> measured_only_in(const Ceilings& these, const Ceilings& others);
/// A line for each ceiling; what was not measured says so.
Document ceilings_document(const Ceilings& ceilings);

inline void write_ceilings_table(std::ostream& out, const Ceilings& ceilings,
                                 const ConsoleStyle& style) {
  render_terminal(out, ceilings_document(ceilings), style);
}

}  // namespace apod::report
