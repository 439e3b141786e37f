#pragma once

#include <string>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/plan/config/yaml_fields.hpp"

namespace apod::config {

/// `kernel: {file: conv.cu, name: conv}` and what goes with it, from the experiment's `fields`.
/// `axes` and `zip` say what its axes are: of counts where all values are, else of words. Files
/// begin at `folder` and must lie in it, unless `outside`. What is read is of use only where there
/// was no problem.
void read_kernel(const Fields& fields, const Fields& axes, const Field* zip,
                 const std::string& folder, bool outside, Experiment& experiment,
                 Problems& problems);

/// Conditions on the axes of the experiment that are called `known`.
void read_where(const Field& field, const std::vector<std::string>& known, Experiment& experiment,
                Problems& problems);

}  // namespace apod::config
