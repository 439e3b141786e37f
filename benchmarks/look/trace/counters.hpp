#pragma once

#include <map>
#include <string>

#include "benchmarks/base/profile.hpp"
#include "kernels/api/counters.hpp"

namespace apod::trace {

/// The counters of each kernel, mean over its launches with one grid and block: one entry each, the
/// longest first, then by name. A mean is over the launches that have the counter. The times are
/// those that the kernels took while they were counted.
Profile profile_of(const Counters& counters);

/// What a case's kernels come to together, as facts. Sums: dram_bytes, fp32_instructions,
/// fp64_instructions, tensor_instructions. Means, by the kernels' times: dram_throughput,
/// achieved_occupancy, issue_active; by the sectors that they ask for: l2_hit_rate. Quotients of
/// sums: load_efficiency and store_efficiency = bytes / (32 * sectors), above 1 where threads of a
/// warp share a value. What no kernel has is left out.
std::map<std::string, double> facts_of(const Counters& counters);

/// Hands the counters of `counted` to the same kernels of `profile`, told by name, grid and block.
/// Kernels that `profile` does not know are added: it may hold none, where nothing was traced.
void join_counters(const Profile& counted, Profile& profile);

}  // namespace apod::trace
