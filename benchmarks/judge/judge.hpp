#pragma once

/// \file
/// From the evidence of blocks to verdicts.

#include <cstddef>
#include <optional>
#include <vector>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/stats/means.hpp"

namespace apod::judge {

/// The probability of finding an effect that `detectable` and `units_needed` are for.
constexpr double wanted_power = 0.8;
/// Level of each of the two one-sided tests (TOST) that make a case `unchanged`.
constexpr double equivalence_level = 0.05;

/// ln 4.5. In 93,496 nights of cases of a real project's CI, 17 were slower by so much, for one
/// night.
constexpr double far_out = 1.504;

/// What blocks measured of one case's change.
struct Evidence {
  std::size_t index = 0;           ///< into Comparison::cases
  stats::MeanEstimate difference;  ///< of ln(new) - ln(base)
  /// Whether it may become a regression or an improvement, and so counts for Holm. A case that the
  /// screening dropped may not.
  bool in_family = true;
};

/// The least change that matters: the base's own (0: none), then the command line's, then the new
/// side's, which must not loosen the gate that it has to pass; else the default.
double threshold_of(const CompareOptions& options, double of_base, double of_new = 0);

/// The verdict on a change d of ln time. With t = ln(1 + threshold):
///   regression     significant, and d >= t (strict: the low end of its 95 % interval >= t)
///   improvement    the same below -t
///   small          significant, and -t < d < t by two one-sided tests
///   unchanged      not significant, and the same two tests
///   inconclusive   none of these, such as a sure change that may lie on either side of t
Verdict verdict_of(const stats::MeanEstimate& d, bool significant, double threshold, bool strict);

/// Fills change, interval, p values, detectable effect and verdict of the cases that the evidence
/// is about; their thresholds are set. Significant is a case whose Holm-adjusted p is below alpha.
void judge(const std::vector<Evidence>& evidence, Comparison& comparison);

/// Chance that a ln change of `effect` > 0 is called a regression: that it is significant at
/// `alpha` (two-sided), and estimated at `least` or more (`strict`: with the whole 95 % interval).
/// The lesser of both chances, which is exact where one decides.
double chance_to_find(double effect, double standard_error, double degrees, double alpha,
                      double least, bool strict);

/// Smallest ln change for which chance_to_find reaches wanted_power.
double detectable_change(double standard_error, double degrees, double alpha, double least,
                         bool strict = false);

/// The share without its sign of a change to the slower or the faster side that has this size.
double size_as_share(double log_size, bool slower);

/// The same for a change that could have been found; absent beyond ln 4.5, where nothing can be
/// said to have been looked for.
std::optional<double> detectable_share(double log_change);

}  // namespace apod::judge
