#pragma once

#include "benchmarks/base/part.hpp"
#include "benchmarks/base/plan.hpp"
#include "kernels/api/registry.hpp"

namespace apod::plan {

/// Keeps only this shard's part of the plan, which may be empty, and returns where it lies in the
/// whole; for shard 1/1 everything. A baseline and the cases compared with it stay together. Every
/// machine divides a plan in the same way: these groups by their weights, the heaviest first, each
/// to the shard that has least (Graham 1969, "Bounds on multiprocessing timing anomalies"; no shard
/// has more than 4/3 of the least possible, or its heaviest group). The caller sets the part's
/// `plan`.
StudyPart take_shard(Plan& plan, const Shard& shard, const Registry& registry);

}  // namespace apod::plan
