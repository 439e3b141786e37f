#pragma once

#include <vector>

#include "benchmarks/base/plan.hpp"
#include "kernels/api/registry.hpp"

namespace apod::plan {

/// A guess of the seconds that one process spends on the case, for --dry-run and the progress bar's
/// start: making the data and its reference, verification, warm-up, pilot and timed samples. From
/// the case's traffic, its measure block and rough figures of this machine's speed. It does not
/// know the kernel's quality and hardly how much its times scatter, so it may be off by a factor of
/// two.
double estimate_seconds(const Plan& plan, const Case& c, const Registry& registry);

/// From the time of a run whose first processes are enough to that of a run in which each case
/// takes all that `max_processes` and `budget` allow. Both are equal if the number is fixed.
struct TimeRange {
  double least_s = 0;
  double most_s = 0;
};

/// The same for the whole run: every process of every case that is not skipped, the traced passes,
/// and the start of each process.
TimeRange estimate_run(const Plan& plan, const Registry& registry);

/// Relative weights of the plan's cases, one each: seconds on a machine that there is only on
/// paper, so that every machine finds the same ones. 0 for a case that is skipped.
std::vector<double> weights_of(const Plan& plan, const Registry& registry);

}  // namespace apod::plan
