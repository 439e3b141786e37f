#pragma once

#include "benchmarks/base/result.hpp"
#include "benchmarks/show/document.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {

/// The time of all cases of each variant together, each as often as the experiment's weight says:
/// "weighed by launches: cub 1.234 ms, mine 1.1 ms (-10.9 %)". Without text if there is no weight.
/// A variant that lacks a measured case is left out, and named.
Paragraph weighted_times(const Experiment& experiment, const Result& result, const Cases& cases);

}  // namespace apod::show
