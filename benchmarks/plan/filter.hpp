#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/diagnostic.hpp"
#include "benchmarks/base/plan.hpp"
#include "benchmarks/base/result.hpp"
#include "benchmarks/base/text/pattern.hpp"

namespace apod::plan {

/// Drops the cases that are not kept, one flag each, and renumbers the others. A case whose
/// baseline is dropped has none.
void keep_cases(Plan& plan, const std::vector<bool>& kept);

/// Keeps the cases whose id `filter` matches, and the baselines that they are compared with. False
/// if there are none; the plan is unchanged then.
bool apply_filter(Plan& plan, const text::Pattern& filter);

/// The same for a result; everything about other cases is dropped too.
bool apply_filter(Result& result, const text::Pattern& filter);

/// The same for the cases whose id is one of `ids`, and for those with a wanted case in their
/// output.
bool keep_only(Plan& plan, const std::vector<std::string>& ids);

/// Notes the cases that are wanted of those to be found in an output: an id may be that of an open
/// case, "/" and a name. Returns the ids that are of no case.
std::vector<std::string> take_ids(Plan& plan, const std::vector<std::string>& ids);

/// The message that `filter` matches none of the plan's cases, with the nearest part of an id.
Diagnostic no_match(const Plan& plan, const text::Pattern& filter);

}  // namespace apod::plan
