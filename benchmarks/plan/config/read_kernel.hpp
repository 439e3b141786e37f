#pragma once

#include <string>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/plan/config/yaml_fields.hpp"

namespace apod::config {

/// `kernel: {file: conv.cu, name: conv}` and the keys that belong to it, from the experiment's
/// `fields`. `axes` and `zip` give its axes: counts if all values are, else words. Files are
/// relative to `folder` and must lie in it, unless `outside`. The result is useful only if there
/// was no problem.
void read_kernel(const Fields& fields, const Fields& axes, const Field* zip,
                 const std::string& folder, bool outside, Experiment& experiment,
                 Problems& problems);

/// Conditions on the axes of the experiment that are called `known`.
void read_where(const Field& field, const std::vector<std::string>& known, Experiment& experiment,
                Problems& problems);

}  // namespace apod::config
