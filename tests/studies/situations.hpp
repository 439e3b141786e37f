#pragma once

/// \file
/// Files as people have them: one against one, a folder of nights against one, folders of one day
/// each; on machines that behave, and on machines that don't.

#include <cstdint>
#include <string>

namespace apod::simulation {

/// For every situation and every kind of machine, prints how many suites have a false verdict or a
/// suspect where nothing changed, and how often a case of a hundred that got slower is found. Only
/// situations and kinds whose names have these texts in them.
void print_situations(int suites, std::uint64_t seed, const std::string& situation_like,
                      const std::string& kind_like);

}  // namespace apod::simulation
