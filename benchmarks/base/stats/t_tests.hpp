#pragma once

/// \file
/// Student's t: of one mean or difference, and equivalence.

#include "benchmarks/base/stats/means.hpp"

namespace apod::stats {

/// P(T > t) for Student's t with `degrees` > 0, else std::domain_error; NaN for a NaN. Both tails
/// are relatively exact, down to 1e-300; around t = 0 the error is up to 1e-8.
double t_upper_tail(double t, double degrees);

/// p of `estimate.mean > bound`, one-sided: small when the mean is clearly above. With a standard
/// error of 0: 0 above the bound, 1 at or below it. So an estimate from a single value must not be
/// tested: its error is unknown, not 0. NaN is passed on, by the other p values too.
double p_above(const MeanEstimate& estimate, double bound);
/// p of `estimate.mean < bound`.
double p_below(const MeanEstimate& estimate, double bound);
/// p of `estimate.mean != bound`, two-sided.
double p_different(const MeanEstimate& estimate, double bound);

/// Equivalence by two one-sided tests (Schuirmann 1987, "A comparison of the two one-sided tests
/// procedure and the power approach"): p of low < mean < high, the larger of both.
double p_equivalent(const MeanEstimate& estimate, double low, double high);

}  // namespace apod::stats
