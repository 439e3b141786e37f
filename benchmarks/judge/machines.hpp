#pragma once

/// \file
/// The kinds of machines that sessions ran on. Times of two kinds are two series.

#include <string>

#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// Whether both may have run on one kind of machine: all of the GPU, its driver and settings, CUDA,
/// the processor, their number and their caches that both record are equal, and the clocks differ
/// by 15 % at most.
bool same_machine(const SideSession& a, const SideSession& b);

/// What tells `b` from `a`: "caches 32 KiB, 1 MiB -> 48 KiB, 2 MiB"; empty for one kind.
std::string machine_difference(const SideSession& a, const SideSession& b);

/// What of a side ran on the kind of machine of `session`, and why the rest did not.
struct OfMachine {
  Side side;
  std::size_t others = 0;  ///< sessions that were left out
  std::string difference;  ///< of the first of these
};
OfMachine of_machine(const Side& side, const SideSession& session);

/// The session with the last date; the last in the list where one has none.
const SideSession& last_session(const Side& side);

}  // namespace apod::judge
