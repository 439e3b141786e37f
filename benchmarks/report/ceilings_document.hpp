#pragma once

#include <iosfwd>

#include "benchmarks/model/ceilings.hpp"
#include "benchmarks/report/document.hpp"

namespace apod::report {

/// A line for each ceiling; what was not measured says so.
Document ceilings_document(const Ceilings& ceilings);

inline void write_ceilings_table(std::ostream& out, const Ceilings& ceilings,
                                 const ConsoleStyle& style) {
  render_terminal(out, ceilings_document(ceilings), style);
}

}  // namespace apod::report
