#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/plan.hpp"

namespace apod::show {

/// The value that `c` has on the axis `name`, "variant" included.
std::optional<AxisValue> axis_of(const Case& c, const std::string& name);

/// The values of one column, all written in one way, as an experiment file would have them: large
/// numbers as powers of two ("2^20") if all are, as "1e8" and "2.5e7" if all are that round, and
/// with all their digits otherwise. Empty for a missing value.
std::vector<std::string> axis_texts(const std::vector<std::optional<AxisValue>>& values);

}  // namespace apod::show
