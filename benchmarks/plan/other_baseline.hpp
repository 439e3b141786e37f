#pragma once

/// \file
/// Baselines that another experiment of the file has: `baseline: {experiment: alone}`.

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/base/plan.hpp"
#include "kernels/api/registry.hpp"

namespace apod::plan {

/// Links each case of the experiments that name another one to the case there with the same values
/// on all axes that both experiments have, or the baseline's own values. Reports an experiment that
/// takes its baseline from a third, and one in which no case, or more than one, is the baseline of
/// a case. Notes how many cases have none. One that --having left out is the baseline of none.
void link_other_baselines(Plan& plan, const ExperimentConfig& config, const Registry& registry,
                          Diagnostics& diagnostics, std::vector<std::string>& notes);

}  // namespace apod::plan
