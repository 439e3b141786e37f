#pragma once

#include <iosfwd>
#include <string>

#include "benchmarks/base/history.hpp"

namespace apod::files {

/// JSON, schema 1: see docs/history.md.
void write_history_json(std::ostream& out, const History& history);

/// Reads it. Throws std::runtime_error with the place, but not the file, for any other file.
History read_history(const std::string& file);

}  // namespace apod::files
