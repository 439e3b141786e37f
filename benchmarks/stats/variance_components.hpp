#pragma once

#include <vector>

namespace apod::stats {

/// Variances of a nested random-effects model: value = mean + session + process + sample.
struct VarianceComponents {
  double sample = 0;           ///< of one value within its process
  double process = 0;          ///< between processes of one session
  double session = 0;          ///< between sessions
  double session_upper = 0;    ///< upper 90 % confidence bound of `session`
  double session_degrees = 0;  ///< sessions - 1
};

/// From values[session][process][sample], which may be unbalanced: expected mean squares, solved
/// from the inside out, negative estimates cut at 0 (Searle, Casella & McCulloch 1992, "Variance
/// Components", ch. 5). One sample a process gives sample = 0 (it is then part of `process`), fewer
/// than two sessions give session = 0. The upper bound follows Williams 1962 / Tukey: the one of
/// the session mean square, less what lies below it.
VarianceComponents variance_components(const std::vector<std::vector<std::vector<double>>>& values);

}  // namespace apod::stats
