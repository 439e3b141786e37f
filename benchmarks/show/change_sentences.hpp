#pragma once

/// \file
/// What a headline says of cases that are compared with a baseline.

#include <string>
#include <vector>

#include "benchmarks/base/result.hpp"
#include "benchmarks/show/figures.hpp"

namespace apod::show {

/// What else tells the case from others of its experiment: "size 2^28".
std::string where_of(const Result& result, const Cases& cases, const CaseSummary* c,
                     const std::vector<std::string>& said);

/// The best case against its baseline: of several baselines against the one that takes longest,
/// because the largest problem matters most. Empty where no case has one.
std::string against_baseline(const Result& result, const std::vector<CaseSummary>& summaries,
                             const Cases& cases);

/// Whether a case is shown to take less time than its baseline.
bool any_wins(const Cases& cases);

/// A sentence for each thing that the experiment's `answer` compares with its baseline: with how
/// much, how surely, and how much of it was not measured.
std::vector<std::string> answers_of(const Result& result, const std::vector<CaseSummary>& summaries,
                                    std::size_t experiment);

}  // namespace apod::show
