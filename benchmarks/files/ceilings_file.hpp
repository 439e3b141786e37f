#pragma once

#include <iosfwd>
#include <string>

#include "benchmarks/base/ceilings.hpp"

namespace apod::files {

/// JSON, schema 1.
void write_ceilings(std::ostream& out, const Ceilings& ceilings);

/// Reads them again. Throws std::runtime_error naming the file and what is wrong with it: absent,
/// no JSON, another kind of file, a value that is negative or no number, no ceiling that was
/// measured.
Ceilings read_ceilings(const std::string& file);

}  // namespace apod::files
