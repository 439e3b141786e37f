#pragma once

/// \file
/// What sets recordings of a program apart from results: their cases are parts of one run, and a
/// recording is of a command that may be another one, or may have failed.

#include <span>
#include <string>
#include <vector>

#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// Whether each session is one.
bool are_recordings(const Side& side);

/// Leaves of recordings the operations of a step if all of them have steps, else those of the run:
/// a longer run launches more in all, and the same in a step. Returns what to say about that.
/// Leaves other sides alone.
std::vector<std::string> keep_comparable(std::span<Side> sides);

/// Why the sides are no pair for a verdict: they recorded other commands, or one of them ended with
/// an exit code that is not 0. Folders in the words of a command don't count: two checkouts have
/// one program.
std::vector<std::string> why_unlike(const Side& base, const Side& new_side);

/// The name of the case that the case of a recording is a part of: "step" or "program".
std::string whole_of(const std::string& name);

}  // namespace apod::judge
