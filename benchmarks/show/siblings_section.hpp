#pragma once

#include <vector>

#include "benchmarks/base/summary.hpp"
#include "benchmarks/show/document.hpp"

namespace apod::show {

/// GPUs that measured the same cases, each against the others (base/siblings.hpp); empty where
/// there are fewer than three.
Document siblings_section(const std::vector<CaseSummary>& summaries);

}  // namespace apod::show
