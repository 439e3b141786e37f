#pragma once

/// \file
/// A decision on differences that arrive one at a time, looked at after each of them.

#include <cstdint>
#include <span>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/moderated_variance.hpp"

namespace apod::judge {

/// Where the mean of the differences lies, as far as they show it.
enum class Standing : std::uint8_t { undecided, below, above };

struct SequentialRule {
  double threshold = 0;  ///< what the change is compared with: a share, above -1
  /// The chance that the interval of any look misses the true change, 0 < error < 1. So a decision
  /// is wrong at most this often, however often and for whatever reason one looks.
  double error = 0.01;
};

struct SequentialDecision {
  Standing standing = Standing::undecided;
  Estimate change;  ///< shares; from -1 to infinity as long as nothing is known
};

/// Decides between a change above and below the threshold. `differences` are of ln time (new -
/// base), in the order in which they came, gaussian and independent. `noise` is what other
/// differences of the same variance, independent of these, have shown of it: their variance and its
/// degrees of freedom; 0 degrees: nothing. With it a single difference can decide; without it, with
/// an error of 0.01, four are the least. A variance below (1e-4)^2 is not believed.
///
/// The interval holds at all looks at once: it is a t-test with a mixture over the effect size,
/// which is normal with variance 30. For n differences with the mean d, the pooled variance s^2 and
/// its degrees v, r = 1 + 30 n and q = (r / error^2)^(1 / (v + 1)), it is
/// d +- s sqrt(v (q - 1) / (1 - q / r) / n); infinite where q >= r. (Lai 1976, "On confidence
/// sequences", The Annals of Statistics 4(2); in this form Lindon, Ham, Tingley & Bojinov 2022,
/// "Anytime-valid linear models and regression adjusted causal inference in randomized
/// experiments".) The variance 30 decides with the fewest differences where the mean is some four
/// to ten deviations from the threshold, as a change that matters often is.
///
/// Throws std::domain_error for an error or a threshold outside its range.
SequentialDecision decide(std::span<const double> differences, const SequentialRule& rule,
                          const stats::VarianceEstimate& noise = {});

}  // namespace apod::judge
