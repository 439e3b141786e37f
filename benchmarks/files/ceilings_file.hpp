#pragma once

#include <iosfwd>
#include <string>

#include "benchmarks/base/ceilings.hpp"

namespace apod::files {

/// JSON, schema 1.
void write_ceilings(std::ostream& out, const Ceilings& ceilings);

/// Reads them. Throws std::runtime_error naming the file and what is wrong with it: absent, not
/// JSON, another kind of file, a value that is negative or not a number, no measured ceiling.
Ceilings read_ceilings(const std::string& file);

}  // namespace apod::files
