#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/plan/config/problems.hpp"
#include "kernels/api/registry.hpp"

namespace apod::config {

/// Applies --having: of "axis=value[,value...]", keeps the experiments that have the axis and know
/// every one of its values, so that --set can give it any of them. If none does, a problem says
/// why, unless an experiment that could not be read may be the one (`all_read` false).
void keep_having(const std::string& text, const Registry& registry, bool all_read,
                 ExperimentConfig& config, Problems& problems);

/// Applies --set: "axis=value[,value...]" or "measure-key=value". A set axis replaces that axis in
/// every experiment that may have it. Whatever the narrowed axis no longer allows is removed: cases
/// of `include`, and a baseline that none of the values could be. If no
/// experiment has the axis, that is a problem only with `all_read`.
void apply_overrides(std::vector<std::string> overrides, const Registry& registry, bool all_read,
                     ExperimentConfig& config, Problems& problems);

}  // namespace apod::config
