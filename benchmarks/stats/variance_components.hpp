#pragma once

#include <vector>

namespace apod::stats {

/// Variances of a nested random-effects model: value = mean + session + process + sample.
struct VarianceComponents {
  double sample = 0;           ///< of one value within its process
  double process = 0;          ///< between processes of one session
  double session = 0;          ///< between sessions
  double session_upper = 0;    ///< upper 90 % confidence bound of `session`; infinite if unknown
  double session_degrees = 0;  ///< sessions - 1
};

/// From values[session][process][sample], which may be unbalanced: expected mean squares, solved
/// from the inside out, negative estimates cut at 0 (Searle, Casella & McCulloch 1992, "Variance
/// Components", ch. 5). One sample a process gives sample = 0 (it is then part of `process`), one
/// process a session gives process = 0 (it is then part of `session`), fewer than two sessions give
/// session = 0 with an infinite upper bound. Empty processes and sessions are left out. Values must
/// be finite (std::domain_error).
///
/// The upper bound is that of Tukey 1951, "Components in regression", and Williams 1962, "A
/// confidence interval for variance components": degrees * (MS - F * MS0) / (chi-squared * k), at
/// least 0. MS is the sessions' mean square, k the weight of `session` in its expectation, MS0 the
/// mean square to be expected without differences between sessions (in an unbalanced design a
/// mixture of those of processes and samples, with degrees by Satterthwaite); F and chi-squared are
/// 10 % quantiles. It is 0 where the sessions differ far less than their processes would make them.
VarianceComponents variance_components(const std::vector<std::vector<std::vector<double>>>& values);

}  // namespace apod::stats
