#pragma once

#include <iosfwd>

#include "benchmarks/base/ceilings.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

/// A line for each ceiling; what was not measured says so.
Document ceilings_document(const Ceilings& ceilings);

inline void write_ceilings_table(std::ostream& out, const Ceilings& ceilings,
                                 const ConsoleStyle& style) {
  render_terminal(out, ceilings_document(ceilings), style);
}

}  // namespace apod::show
