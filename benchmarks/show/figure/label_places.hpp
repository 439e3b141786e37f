#pragma once

#include <vector>

namespace apod::figure {

/// Places of labels, in the order of `wanted`, that are `gap` apart and as near to the wanted ones
/// as neighbours allow: those that would overlap move apart about their mean. All lie between
/// `first` and `last` if there is room for them.
std::vector<double> label_places(const std::vector<double>& wanted, double gap, double first,
                                 double last);

}  // namespace apod::figure
