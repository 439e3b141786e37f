#pragma once

#include <string>

#include "benchmarks/model/diagnostic.hpp"
#include "benchmarks/model/plan.hpp"

namespace apod::plan {

/// Keeps the cases whose id the ECMAScript regular expression `filter` is found in, and the
/// baselines that they are compared with. False, with a diagnostic, when it is no expression or
/// keeps nothing. An empty filter keeps all.
bool apply_filter(Plan& plan, const std::string& filter, Diagnostics& diagnostics);

}  // namespace apod::plan
