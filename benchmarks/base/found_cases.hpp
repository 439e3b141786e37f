#pragma once

/// \file
/// Cases that are known only once a command has run, because they stand in its output. Until then
/// the plan has one case for all of them, whose axis `case` is "*"; journals keep them with it.

#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/text/pattern.hpp"

namespace apod {

/// Whether the case stands for those that its output will tell of.
bool is_open(const Case& c);

/// A measurement of each case that was found in the process, in their order; `measurement` itself
/// where none was.
std::vector<Measurement> parts_of(const Measurement& measurement);

/// Puts the cases that were found, those of them that are wanted and whose ids hold `filter`, in
/// the place of the case that stood for them. One that is wanted, or that another process told of,
/// and that is missing has failed. An open case of which no process told any stays.
void place_found_cases(Result& result, const text::Pattern& filter);

}  // namespace apod
