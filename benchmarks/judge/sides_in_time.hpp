#pragma once

/// \file
/// The sessions of two sides in time, as a history and what is compared with it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/judge/nights.hpp"
#include "benchmarks/judge/other_processes.hpp"
#include "benchmarks/judge/sessions.hpp"
#include "benchmarks/judge/side_logs.hpp"

namespace apod::judge {

/// The sessions of both sides as nights.
struct Timeline {
  std::vector<std::uint32_t> base;  ///< sessions in the order of time
  std::vector<std::uint32_t> new_side;
  Days days;  ///< of both, the base's sessions first
  std::vector<std::string> notes;
};

/// What of the base is not later than the new side, and has a date where the others have one. Where
/// no file has one, they are in the order of their names. Empty without a history.
std::optional<Timeline> timeline_of(const Side& base, const Side& new_side);

/// The finest last_digit of all cases, s, because files print all in one way; 0 where none shows
/// it.
double finest_digit(std::span<const CasePair> pairs);

/// What the nights of the timeline say of each case, whose times are these.
Nights nights_of(const std::vector<SideLogs>& before, const std::vector<SideLogs>& after,
                 const Timeline& time, const Side& base, const Side& new_side);

}  // namespace apod::judge
