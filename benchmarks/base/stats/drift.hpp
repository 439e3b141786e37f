#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace apod::stats {

/// Values that rise or fall steadily.
struct Drift {
  std::size_t values = 0;  ///< the last so many
  double change = 0;       ///< of the line through them, from the first to the last
};

/// With fewer values no drift is looked for.
constexpr std::size_t fewest_of_drift = 8;

/// Whether a series drifts at its end: over all of it, its last half, its last quarter and so on,
/// the one that shows it most clearly. A straight line is fitted by generalised least squares to
/// values whose neighbours are alike (Prais & Winsten 1954, "Trend estimators and serial
/// correlation"), with the lag-1 autocorrelation r of what the line leaves, plus 4 / n for its bias
/// and 1 / sqrt(n) for its error. Where that reaches 1, the test is that of a random walk: whether
/// the mean step from one value to the next differs from 0. All tests together have p < 0.001.
///
/// A step is no drift: the line must leave less than the best single step does, and less than the
/// levels that begin at `starts` (ascending). Values must be finite.
std::optional<Drift> drift_at_end(std::span<const double> values,
                                  std::span<const std::size_t> starts);

}  // namespace apod::stats
