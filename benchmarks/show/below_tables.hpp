#pragma once

/// \file
/// What a page says below a table of its marks and columns.

#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/base/summary.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

/// What "~" means, and the ceilings and peaks that the shares of these cases are of.
void explain_columns(Document& document, const Result& result,
                     const std::vector<CaseSummary>& summaries);

/// Below the first table whose rows have commands: how they are found.
void explain_commands(Document& document);

}  // namespace apod::show
