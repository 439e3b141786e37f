#pragma once

/// \file
/// What a side's own days, or a calibration's sessions, say of how far apart two of them lie.

#include <cstddef>
#include <span>
#include <vector>

#include "benchmarks/base/stats/moderated_variance.hpp"
#include "benchmarks/base/stats/tails.hpp"
#include "benchmarks/judge/side_logs.hpp"

namespace apod::judge {

/// With fewer, cases say nothing of one another.
constexpr std::size_t fewest_for_prior = 20;
/// With fewer days a side is no history: three differences are no spread.
constexpr std::size_t fewest_days = 4;
/// Where nothing tells how heavy the tails of a spread are: heavier than normal, so that one case
/// of a hundred whose sessions are wild is no regression.
constexpr double cautious_tail_degrees = 6;

/// Each variance moderated by all of them (stats::variance_prior), which weigh at most
/// `most_weight` times as much as its own degrees. Variances without degrees stay as they are. With
/// fewer than fewest_for_prior nothing is shared. None is below least_deviation^2.
std::vector<stats::VarianceEstimate> moderated_together(
    std::vector<stats::VarianceEstimate> variances, double most_weight);

/// How far out the days of a side lie, by a scale and by their tails (stats::fit_tails): every day
/// is judged as a new one would be, by those before it, from the fourth on, and by all others. What
/// all cases of a day share is taken out first. The first way sees nights that resemble their
/// neighbours and a step within the history, the second, which has more days to judge by, sees
/// tails. {0, 0} where no case has fewest_days.
stats::Tails tails_of_days(std::span<const SideLogs* const> cases);

}  // namespace apod::judge
