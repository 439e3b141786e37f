#pragma once

namespace apod::trace {

constexpr double ns = 1e-9;      // seconds
constexpr double slack = 1e-18;  // seconds: what rounding may take

}  // namespace apod::trace
