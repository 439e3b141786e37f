#pragma once

#include <string>

#include "benchmarks/base/bisection.hpp"

namespace apod::show {

/// "slower by 5.1 % (4.8 to 5.4)" of a commit that was measured, "skipped: does not build: ...",
/// "the same code as 0123456789": one line.
std::string standing_text(const Bisection& bisection, std::size_t commit);

/// The outcome as a sentence: "FOUND: 0123456789 made CASE slower by 5.1 % (4.8 to 5.4)".
std::string outcome_text(const Bisection& bisection);

}  // namespace apod::show
