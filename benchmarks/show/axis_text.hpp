#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/plan.hpp"

namespace apod::show {

/// The value that `c` has on the axis `name`, "variant" included.
std::optional<AxisValue> axis_of(const Case& c, const std::string& name);

/// The values of one column, all written in one way, as an experiment file would say them: large
/// numbers as powers of two ("2^20") where all are, as "1e8" and "2.5e7" where all are so round,
/// and with all their digits otherwise. Empty where there is no value.
std::vector<std::string> axis_texts(const std::vector<std::optional<AxisValue>>& values);

}  // namespace apod::show
