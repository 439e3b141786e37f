#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/api/params.hpp"

namespace apod::plan {

/// More are left out of a message.
inline constexpr std::size_t most_values_shown = 8;

/// "streams is 1, 2 or 4": the smallest of them, for a message.
std::string values_text(const std::string& axis, std::vector<AxisValue> values);

}  // namespace apod::plan
