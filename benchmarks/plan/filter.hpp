#pragma once

#include <string>
#include <vector>

#include "benchmarks/model/diagnostic.hpp"
#include "benchmarks/model/plan.hpp"
#include "benchmarks/model/result.hpp"
#include "benchmarks/text/pattern.hpp"

namespace apod::plan {

/// Keeps the cases whose id `filter` is found in, and the baselines that they are compared
/// with. False when there are none; the plan is left as it is then.
bool apply_filter(Plan& plan, const text::Pattern& filter);

/// The same for a result, of which all that is said of other cases goes too.
bool apply_filter(Result& result, const text::Pattern& filter);

/// The same for the cases whose id is one of `ids`.
bool keep_only(Plan& plan, const std::vector<std::string>& ids);

/// That `filter` matches none of the plan's cases, with the nearest part of an id.
Diagnostic no_match(const Plan& plan, const text::Pattern& filter);

}  // namespace apod::plan
