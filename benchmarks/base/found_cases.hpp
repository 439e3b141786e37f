#pragma once

/// \file
/// Cases that are known only once a command has run, because its output names them. Until then the
/// plan has one case for all of them, whose axis `case` is "*"; journals keep them under that case.

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/text/pattern.hpp"

namespace apod {

/// Whether the case is a placeholder for cases that its output will name.
bool is_open(const Case& c);

/// Replaces the open case by the cases that were found, if they are wanted and `filter` matches
/// their ids. A case that is wanted or was reported by another process, and is missing, has failed.
/// An open case remains if no process reported any.
void place_found_cases(Result& result, const text::Pattern& filter);

}  // namespace apod
