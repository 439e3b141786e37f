#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/experiment.hpp"

namespace apod {

/// One mistake in what the user wrote. All are collected and shown together.
struct Diagnostic {
  std::string file;  ///< or the flag, e.g. "--set"
  SourcePlace place;
  std::string message;
  std::string hint;  ///< what to write instead; may be empty
};
using Diagnostics = std::vector<Diagnostic>;

/// "file:line:col: message (hint)"; without a place if there is none.
std::string to_string(const Diagnostic& diagnostic);

/// In the order in which a person mends them: those of the file from top to end, then those of
/// flags as they come. Duplicates are dropped.
Diagnostics in_order(Diagnostics diagnostics);

}  // namespace apod
