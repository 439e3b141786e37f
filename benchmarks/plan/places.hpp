#pragma once

#include "benchmarks/base/experiment.hpp"

namespace apod::plan {

/// The axis for the size of the problem: every family's first.
inline constexpr const char* size_axis = "size";

/// Where the config names that value of the axis; `otherwise` if it is a default, or comes from a
/// flag.
SourcePlace place_of_value(const Experiment& experiment, const std::string& axis,
                           const AxisValue& value, SourcePlace otherwise);

}  // namespace apod::plan
