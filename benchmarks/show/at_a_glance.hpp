#pragma once

/// \file
/// What a reader of a page wants to know next to the answer: what limits it, and what is wrong.

#include <string>
#include <vector>

#include "benchmarks/show/document.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {

/// The ceiling that a case comes closest to, and the findings that cost most, a line each.
List at_a_glance(const Result& result, const std::vector<CaseSummary>& summaries);

/// The most severe finding of a case, as a link to its explanation. Empty if it has none.
Cell finding_cell(const CaseSummary& summary);

/// The anchors of the cases' explanations.
std::string explanation_anchor(std::size_t case_index);

}  // namespace apod::show
