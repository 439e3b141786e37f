#pragma once

/// \file
/// Which value of cases a figure shows, and what it is held against. Internal to report/.

#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/show/figures.hpp"

namespace apod::show {

/// A case of the figure, and its value.
struct Plotted {
  std::size_t index;  ///< among the cases that were asked for
  const CaseSummary* summary;
  Estimate value;
};

/// Time where all cases have the same work, else the rate that most of them are bound by.
std::string usual_fact(const Cases& cases);

/// The measured ceiling and the theoretical peak of the fact, where they are the same for all cases
/// and in reach.
std::vector<figure::Guide> guides_of(const Result& result, const std::vector<Plotted>& shown,
                                     const std::string& fact);

}  // namespace apod::show
