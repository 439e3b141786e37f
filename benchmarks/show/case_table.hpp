#pragma once

/// \file
/// The tables of cases. Internal to report/.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/base/summary.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

/// One experiment of the result, ready to be shown.
struct ExperimentView {
  std::string method;  ///< workload, scope, processes, cache ...
  std::string common;  ///< axes that all of its cases share: "size 1e8, accumulator fp32"
  Table table;         ///< one row for each measured or failed case; empty when there is none
};
/// Of the columns of CSV, each title with the name of what it says.
std::map<std::string, std::string> csv_titles();
bool contains(const std::vector<std::string>& names, const std::string& name);

/// The axes and facts that `columns` names, as itself or by the title of its column. Throws
/// std::invalid_argument, with a hint, for a name that is neither.
std::vector<std::string> named_columns(const Plan& plan, const std::vector<std::string>& columns);

/// `columns`: what named_columns() found.
ExperimentView view_of(const Result& result, std::size_t experiment,
                       const std::vector<CaseSummary>& summaries,
                       const std::vector<std::string>& columns);

}  // namespace apod::show
