#pragma once

/// \file
/// Two sides of result files -> Comparison.

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// Matches cases by name, judges every pair (file_verdicts.hpp) and names what may explain a change
/// (causes.hpp). What can't be compared is `invalid` with the reason: machines that differ in a
/// decisive property, cases of one name whose axes or way of measuring differ, a case that failed
/// on one side. A case of the base that the new side lacks is `missing`; one that only the new side
/// has is `new`.
Comparison compare_sides(const Side& base, const Side& new_side, const CompareOptions& options);

}  // namespace apod::judge
