#pragma once

/// \file
/// The tables of cases. Internal to report/.

#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/base/summary.hpp"
#include "benchmarks/show/document.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {

/// One experiment of the result, ready to be shown.
struct ExperimentView {
  std::string method;  ///< workload, scope, processes, cache ...
  std::string common;  ///< axes that all of its cases share: "size 1e8, accumulator fp32"
  Cases cases;         ///< those that were measured or failed
  Table table;         ///< a row for each of them
};
/// `columns`: what named_columns() found.
ExperimentView view_of(const Result& result, std::size_t experiment,
                       const std::vector<CaseSummary>& summaries,
                       const std::vector<std::string>& columns, Audience audience);

}  // namespace apod::show
