#pragma once

/// \file
/// What an experiment could have seen, from the noncentral t distribution (Cohen 1988,
/// "Statistical power analysis for the behavioral sciences", ch. 2).

#include <cstddef>

namespace apod::stats {

/// Chance that a one-sided t test at `alpha` finds a true effect of `effect`, the estimate's
/// standard error being `standard_error` with `degrees` degrees of freedom: P(T > t) for the
/// noncentral t and the critical t at `alpha`, within 1e-7. An effect of the other sign is found
/// with less than `alpha`. With a standard error of 0 any effect above 0 is found. NaN is passed
/// on. std::domain_error unless 0 < alpha < 0.5, `degrees` > 0 and the standard error is not
/// negative; that holds for the functions below too.
double t_test_power(double effect, double standard_error, double degrees, double alpha);

/// The effect that is found with probability `power`, to 9 digits; 0 for a standard error of 0.
/// std::domain_error unless alpha < power < 1. Takes some 10 us.
double detectable_effect(double standard_error, double degrees, double alpha, double power);

/// Units (processes a side, or blocks) with which `effect` is found with probability `power`, when
/// the estimate's standard error is `deviation` / sqrt(n) with degrees_per_unit * n - degrees_lost
/// degrees of freedom: the smallest number for which t_test_power reaches `power`, with at least
/// one degree. At least 2; saturates at 1e6, as it does for an effect that is not positive or a
/// deviation that is not finite. std::domain_error as above. Takes some 10 us.
std::size_t units_to_detect(double effect, double deviation, double degrees_per_unit,
                            double degrees_lost, double alpha, double power);

}  // namespace apod::stats
