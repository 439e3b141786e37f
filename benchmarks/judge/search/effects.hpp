#pragma once

#include <vector>

#include "benchmarks/base/tuning.hpp"
#include "benchmarks/judge/search/looks.hpp"

namespace apod::search {

/// What each dimension, and each two together, matter over the valid space: shares of the variance
/// of what a Gaussian process expects from the looks, at rows drawn by chance (functional ANOVA, as
/// in Hutter, Hoos & Leyton-Brown 2014, "An efficient approach for assessing hyperparameter
/// importance"). The largest first; those below 1 % are left out. Empty for fewer than ten rows.
std::vector<AxisEffect> effects_of(const plan::Space& space, const Looks& looks);

}  // namespace apod::search
