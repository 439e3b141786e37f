#pragma once

#include <string>
#include <vector>

#include "benchmarks/config/problems.hpp"
#include "benchmarks/model/experiment.hpp"
#include "kernels/api/registry.hpp"

namespace apod::config {

/// Applies --having: of "axis=value[,value...]", keeps the experiments that have the axis and know
/// every one of its values, so that --set can give it any of them. Where none does, they all stay
/// and a problem says why.
void keep_having(const std::string& text, const Registry& registry, ExperimentConfig& config,
                 Problems& problems);

/// Applies --set: "axis=value[,value...]" or "measure-key=value", in the order given. A set axis
/// takes the place of the axis in every experiment that may have it. What a narrowed axis no longer
/// holds goes with it: cases of `include`, and a baseline that none of the values could be. Where
/// an override is wrong, the cases of the experiments that it may be meant for are not known.
void apply_overrides(const std::vector<std::string>& overrides, const Registry& registry,
                     ExperimentConfig& config, Problems& problems);

}  // namespace apod::config
