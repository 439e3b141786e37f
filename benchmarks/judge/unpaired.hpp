#pragma once

#include <string>
#include <vector>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// Removes two kinds of cases from both sides, and returns notes that name them: cases that neither
/// the new side nor the base's last five days have, because they were removed from the suite
/// earlier; and cases whose time is 0 on the new side and in the base's last runs.
std::vector<std::string> take_out_settled(Side& base, Side& new_side);

/// Says which cases of one side alone may be the same under another name: near names, and times
/// within 10 %.
std::vector<std::string> renamed_cases(const Side& base, const Side& new_side);

/// Puts in the times of cases that have one on both sides and could not be judged, as of another
/// board, and says where changes are so large that the unit may have changed.
void tell_times(const Side& base, const Side& new_side, Comparison& comparison);

}  // namespace apod::judge
