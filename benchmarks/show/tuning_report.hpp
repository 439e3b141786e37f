#pragma once

#include "benchmarks/base/tuning.hpp"
#include "benchmarks/show/report.hpp"

namespace apod::show {

/// What a search found: the best of each shape with its interval against the default, what is as
/// good, what each axis matters. It has no JSON: the result of the measurements has.
Report report_of(const Tuning& tuning);

/// "--set block=32 --set TILE=4": the flags that choose these values of the tuned axes.
std::string set_flags(const Tuning& tuning, const Params& params);
/// "-DTILE=4", of the axes that a kernel gets as macros; empty without any.
std::string define_flags(const Tuning& tuning, const Params& params);

}  // namespace apod::show
