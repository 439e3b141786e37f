#pragma once

#include <string>
#include <string_view>

#include "benchmarks/base/experiment.hpp"

namespace apod {

/// Numbers count as equal if they differ by at most this share of the larger one.
inline constexpr double tolerance = 1e-9;
bool nearly_equal(double a, double b);

/// Whether `value` satisfies `condition`. An operand that names an axis of `params` stands for that
/// axis' value. Numbers compare as numbers (eq and ne within `tolerance`), words as words; a number
/// compared with a word satisfies only `ne`.
bool holds(const Condition& condition, const AxisValue& value, const Params& params);
bool holds(const Condition& condition, double value, const Params& params);

/// "streams > 1", "host_memory == pinned", "size in [1, 2]": the condition on the axis or fact
/// called `name`.
std::string to_string(std::string_view name, const Condition& condition);

/// Whether every condition holds for the axes of `params`. An axis that is absent does not match.
bool matches(const Match& match, const Params& params);

}  // namespace apod
