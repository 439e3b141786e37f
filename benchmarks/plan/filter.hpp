#pragma once

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "benchmarks/model/diagnostic.hpp"
#include "benchmarks/model/plan.hpp"
#include "benchmarks/model/result.hpp"

namespace apod::plan {

/// The expression of --filter, which may come from anywhere: it is matched in a time that grows
/// with the id and the expression, never exponentially, and on a stack that does not grow with the
/// id. Nothing, and a diagnostic, when it is none, is longer than 256 characters, repeats a part
/// more than 20 times, or refers back to what it matched.
std::optional<std::regex> read_filter(const std::string& filter, Diagnostics& diagnostics);

/// Keeps the cases whose id `expression` is found in, and the baselines that they are compared
/// with. False when there are none; the plan is left as it is then.
bool apply_filter(Plan& plan, const std::regex& expression);

/// The same for a result, of which all that is said of other cases goes too.
bool apply_filter(Result& result, const std::regex& expression);

/// The same for the cases whose id is one of `ids`.
bool keep_only(Plan& plan, const std::vector<std::string>& ids);

/// That `filter` matches none of the plan's cases, with the nearest part of an id.
Diagnostic no_match(const Plan& plan, const std::string& filter);

}  // namespace apod::plan
