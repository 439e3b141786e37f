#pragma once

/// \file
/// Files as people have them: one against one, a folder of nights against one, folders of one day
/// each; on machines that behave, and on machines that don't.

#include <cstdint>
#include <string>

namespace apod::simulation {

/// For every situation and every kind of machine, prints how many suites of 6, 20, 100 and 1000
/// cases have a false regression, and how often a case of a hundred that got slower by 2, 5 and
/// 10 % is found. Suites of 1000 cases are an eighth as many. Only situations and kinds whose names
/// have these texts in them.
void print_situations(int suites, std::uint64_t seed, const std::string& situation_like,
                      const std::string& kind_like);

/// Of suites of 1000 cases whose sessions have heavy tails: the false ones.
void print_large(int suites, std::uint64_t seed, const std::string& situation_like,
                 const std::string& kind_like);

/// The same files on the first kind of machine, of 100 cases many of which got slower by a tenth.
void print_many_slowed(int suites, std::uint64_t seed);

}  // namespace apod::simulation
