#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/side.hpp"
#include "benchmarks/judge/environment_changes.hpp"

namespace apod::judge {

/// What differs between the recorded facts of the two sides and may explain why the time moved, the
/// likeliest first: memory kind, streams and overlap, kernel code and its resources, work, clock,
/// throttling, machine. Kernels whose machine code differs are named; that all of it is the same is
/// said too, since it tells a change of the program from one of the machine. Where a fact is
/// recorded on one side or none, a last line says so; where all that is recorded is equal, it says
/// that.
std::vector<Cause> causes_of(const SideCase& base, const SideCase& new_case,
                             const std::vector<EnvironmentChange>& environment);

/// How often an operation of two recordings was launched, and how long all its launches took, where
/// the number differs.
struct LaunchChange {
  double before = 0, after = 0;      ///< launches, > 0
  double before_s = 0, after_s = 0;  ///< together, > 0

  /// "10 -> 20 launches, together 1.2 ms -> 1.21 ms (+0.8 %)".
  std::string text() const;
};
std::optional<LaunchChange> launch_change(const SideCase& base, const SideCase& new_case);

/// Findings that came or went between two recordings of a program, a line each. They are told
/// whatever the times say: a program that was recorded once has them, and no verdict.
std::vector<std::string> finding_changes(const Side& base, const Side& new_side);

}  // namespace apod::judge
