#pragma once

/// \file
/// Figures of one page that are to be compared have one scale: experiments of the same workload,
/// scope and axes, as behind a clean flush and behind a dirty one.

#include <vector>

#include "benchmarks/show/figures.hpp"

namespace apod::show {

/// The choice for the figure of each experiment. Figures whose largest values lie more than a
/// factor of 4 apart keep a scale each, or the smaller one could not be read. `page` is not
/// changed.
std::vector<CurveChoice> shared_scales(const Result& result,
                                       const std::vector<CaseSummary>& summaries,
                                       const CurveChoice& choice, Page page);

}  // namespace apod::show
