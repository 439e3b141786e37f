#pragma once

/// \file
/// The kinds of machines that sessions ran on. Times of two kinds are two series.

#include <string>
#include <vector>

#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// Whether hosts that differ are machines of two kinds, whatever else they record.
enum class Hosts : bool { alike, apart };

/// Whether both may have run on one kind of machine: all of the GPU, its driver and settings, CUDA,
/// the processor, their number and their caches that both record are equal, the clocks differ by
/// 15 % at most, and so may the hosts where they are alike.
bool same_machine(const SideSession& a, const SideSession& b, Hosts hosts = Hosts::alike);

/// What tells `b` from `a`: "caches 32 KiB, 1 MiB -> 48 KiB, 2 MiB"; empty for one kind.
std::string machine_difference(const SideSession& a, const SideSession& b,
                               Hosts hosts = Hosts::alike);

/// Hosts that take turns are apart if their speeds are: where, in most cases, times that follow one
/// another lie three times as far apart, in the mean, as those that follow on one host.
Hosts hosts_of(const std::vector<const Side*>& sides);

/// A side without some of its sessions.
Side without(const Side& side, const std::vector<bool>& out);

/// What of a side ran on the kind of machine of `session`, and why the rest did not.
struct OfMachine {
  Side side;
  std::size_t others = 0;  ///< sessions that were left out
  std::string difference;  ///< of the first of these
};
OfMachine of_machine(const Side& side, const SideSession& session, Hosts hosts = Hosts::alike);

/// The session with the last date; the last in the list where one has none.
const SideSession& last_session(const Side& side);

}  // namespace apod::judge
