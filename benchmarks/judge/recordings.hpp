#pragma once

/// \file
/// Recordings differ from results: their cases are parts of one run, and the two sides may have
/// recorded different programs, or one that failed.

#include <span>
#include <string>
#include <vector>

#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// Whether each session is a recording.
bool are_recordings(const Side& side);

/// Keeps the operations of a step if all recordings have steps, else those of the run: a longer run
/// launches more in all, and the same in a step. Leaves out what is there twice. Returns notes
/// about that. Does not change other sides.
std::vector<std::string> keep_comparable(std::span<Side> sides);

/// Why the sides allow no verdict: they recorded different commands, or one of them ended with an
/// exit code that is not 0. Folders in its words don't make another command.
std::vector<std::string> why_unlike(const Side& base, const Side& new_side);

/// Whether the case of a recording is one operation, a kernel or a kind of copies, of a step or of
/// the run. The other cases are wholes and parts of each other.
bool is_operation(const std::string& name);

/// Whether the case of a recording is time in which a device neither computes nor copies: it waits
/// for the host or for another device.
bool is_waiting(const std::string& name);

/// The name of the case that the case of a recording is a part of: "step", "step: device 3" or
/// "program".
std::string whole_of(const std::string& name);

}  // namespace apod::judge
