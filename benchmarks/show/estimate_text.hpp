#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/base/plan.hpp"
#include "benchmarks/base/summary.hpp"

namespace apod::show {

/// The value that `c` has on the axis `name`, "variant" included.
std::optional<AxisValue> axis_of(const Case& c, const std::string& name);

/// The values of one column, all written in one way, as an experiment file would have them: large
/// numbers as powers of two ("2^20") if all are, as "1e8" and "2.5e7" if all are that round, and
/// with all their digits otherwise. Empty for a missing value.
std::vector<std::string> axis_texts(const std::vector<std::optional<AxisValue>>& values);

/// "-34.2 % ±0.8" of -0.342 from -0.350 to -0.334: a relative change with its interval, whose width
/// decides the decimals. "+10.0 %, -5.0 to +80.0 %" if one end is much further off; only the change
/// if there is no interval. Empty for anything that is not a number.
std::string change_text(const Estimate& change);

/// "6.62 %": a share beside change_text, in its decimals where else the larger of the two would be
/// written as the smaller.
std::string beside_change(const Estimate& change, double share);

/// Whether the interval of a change includes 0, in the digits that are printed.
bool is_undecided(const Estimate& change);
/// change_text, after "~ " if it is undecided.
std::string marked_change(const Estimate& change);

/// The value of the fact `name` with its unit: "12.34 us", "87.5 %", "4".
std::string fact_text(const std::string& name, double value);

/// The interval of a value of the fact: "±3.78 %", half of it relative to the value, or its ends,
/// "12.1 to 96.0 us", if one is much further off. Empty if there is none.
std::string interval_text(const Estimate& value, const std::string& fact = "time");

}  // namespace apod::show
