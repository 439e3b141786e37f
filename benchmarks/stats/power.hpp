#pragma once

/// \file
/// What an experiment could have seen, from the noncentral t distribution (Cohen 1988,
/// "Statistical power analysis for the behavioral sciences", ch. 2).

#include <cstddef>

namespace apod::stats {

/// Chance that a one-sided t test at `alpha` finds a true effect of `effect`, the estimate's
/// standard error being `standard_error` with `degrees` degrees of freedom.
double t_test_power(double effect, double standard_error, double degrees, double alpha);

/// The effect that is found with probability `power`; 0 for a standard error of 0.
double detectable_effect(double standard_error, double degrees, double alpha, double power);

/// Units (processes a side, or blocks) with which `effect` is found with probability `power`, when
/// the estimate's standard error is `deviation` / sqrt(n) with degrees_per_unit * n - degrees_lost
/// degrees of freedom. At least 2; saturates at 1e6.
std::size_t units_to_detect(double effect, double deviation, double degrees_per_unit,
                            double degrees_lost, double alpha, double power);

}  // namespace apod::stats
