#pragma once

#include <string>

#include "benchmarks/base/summary.hpp"

namespace apod::show {

/// "-34.2 % ±0.8" of -0.342 from -0.350 to -0.334: a relative change with its interval, whose width
/// decides the decimals. "+10.0 %, -5.0 to +80.0 %" if one end is much further off; only the change
/// if there is no interval. Empty for anything that is not a number.
std::string change_text(const Estimate& change);

/// Whether the interval of a change includes 0.
bool is_undecided(const Estimate& change);
/// change_text, after "~ " if it is undecided.
std::string marked_change(const Estimate& change);

/// The interval of a time: "±3.78 %", half of it relative to the value, or its ends, "12.1 to 96.0
/// us", if one is much further off. Empty if there is none.
std::string interval_text(const Estimate& time);

/// The value of the fact `name` with its unit: "12.34 us", "87.5 %", "4".
std::string fact_text(const std::string& name, double value);

}  // namespace apod::show
