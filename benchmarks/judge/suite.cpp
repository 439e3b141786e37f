#include "benchmarks/judge/suite.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/base/stats/body.hpp"
#include "benchmarks/judge/day_spreads.hpp"

namespace apod::judge {
namespace {

/// Standard deviation of a median of n normal values, times sqrt(n), over theirs.
constexpr double error_of_medians = 1.2533;
/// Standard deviation of robust_scale of n normal values, times sqrt(n), over it.
constexpr double error_of_scales = 1.17;
/// Degrees of freedom of the square of robust_scale, over n: 1 / (2 error_of_scales^2).
constexpr double degrees_of_scales = 0.37;

/// Of a body, which may be a third of the cases.
constexpr std::size_t fewest_to_learn = fewest_for_prior / 2;

/// The more cases, the farther out lies the one that must not be taken for a regression, where the
/// tails are anybody's guess.
double most_tail_degrees(std::size_t cases) {
  constexpr double least = 2;
  const double fewer = 10 - 2 * std::log10(static_cast<double>(cases));
  return std::clamp(fewer, least, cautious_tail_degrees);
}

double residual_scale(const std::vector<double>& residuals, const std::vector<double>& variances,
                      double added) {
  std::vector<double> scores(residuals.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = residuals[i] / std::sqrt(variances[i] + added);
  }
  return stats::robust_scale(scores);
}

/// The variance to be added to each, so that the residuals have a robust scale of 1; 0 where they
/// have less without it.
double missing_variance(const std::vector<double>& residuals,
                        const std::vector<double>& variances) {
  if (residual_scale(residuals, variances, 0) <= 1) return 0;
  double low = 0;
  double high = stats::square(2 * stats::robust_scale(residuals));
  constexpr int steps = 40;
  for (int step = 0; step < steps; ++step) {
    const double middle = (low + high) / 2;
    (residual_scale(residuals, variances, middle) > 1 ? low : high) = middle;
  }
  return high;
}

}  // namespace

Suite::Suite(std::span<FileEstimate> estimates) {
  ranges_.reserve(estimates.size());
  for (const auto& estimate : estimates) ranges_.push_back(estimate.range);
  std::sort(ranges_.begin(), ranges_.end());
  speaks_ = estimates.size() >= fewest_for_prior;
  if (!speaks_) return;
  std::vector<double> changes;
  std::vector<double> errors;
  for (const auto& estimate : estimates) {
    changes.push_back(estimate.change);
    errors.push_back(std::max(least_deviation, std::sqrt(estimate.known.variance)));
  }
  auto body = stats::body_of(changes, errors);
  shift_ = body.centre;
  body_ = std::move(body.members);
  std::vector<double> residuals;
  residuals.reserve(body_.size());
  for (const auto i : body_) residuals.push_back(changes[i] - shift_);
  shift_variance_ = stats::square(error_of_medians * stats::robust_scale(residuals)) /
                    static_cast<double>(residuals.size());
  middle_ = *std::min_element(body_.begin(), body_.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(changes[a] - shift_) < std::abs(changes[b] - shift_);
  });
  learn(estimates);
  check_known(estimates);
}

void Suite::learn(std::span<FileEstimate> estimates) {
  std::vector<double> residuals;
  std::vector<double> variances;
  for (const auto i : body_) {
    const auto& estimate = estimates[i];
    if (!(estimate.assumed.variance > 0)) continue;
    residuals.push_back(estimate.change - shift_);
    variances.push_back(estimate.known.variance);
  }
  if (residuals.size() < fewest_to_learn) return;
  learnt_ = {missing_variance(residuals, variances),
             degrees_of_scales * static_cast<double>(residuals.size())};
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    residuals[i] /= std::sqrt(variances[i] + learnt_.variance);
  }
  learnt_tails_ = {1, stats::tail_degrees(residuals, most_tail_degrees(residuals.size()))};
  for (auto& estimate : estimates) {
    if (!(estimate.assumed.variance > 0)) continue;
    estimate.session_source = SessionSource::suite;
    estimate.session_deviation = std::sqrt(learnt_.variance / 2);
    estimate.fixed = sum_of({estimate.fixed, learnt_});
  }
}

void Suite::check_known(std::span<const FileEstimate> estimates) {
  std::vector<double> scores;
  for (const auto i : body_) {
    const auto& estimate = estimates[i];
    if (estimate.assumed.variance > 0) continue;
    const auto one = widened(estimate.change - shift_, estimate.known, estimate.tails);
    scores.push_back(one.mean / one.standard_error);
  }
  if (scores.size() < fewest_to_learn) return;
  const double grace = 1 + error_of_scales / std::sqrt(static_cast<double>(scores.size()));
  known_scale_ = std::max(1.0, stats::robust_scale(scores) / grace);
}

stats::MeanEstimate Suite::beyond(const FileEstimate& estimate) const {
  if (!speaks_) return estimate.total();
  const double change = estimate.change - shift_;
  if (estimate.session_source != SessionSource::suite) {
    if (estimate.assumed.variance > 0) return estimate.total();
    auto known = widened(change, estimate.known, estimate.tails);
    known.standard_error *= known_scale_;
    return known;
  }
  const auto variance = sum_of({estimate.known, learnt_});
  return {change, std::sqrt(variance.variance), std::min(variance.degrees, learnt_tails_.degrees)};
}

double Suite::chance_of_modes(const FileEstimate& estimate) const {
  constexpr double as_far = 0.75;
  const double distance = as_far * std::abs(speaks_ ? estimate.change - shift_ : estimate.change);
  const auto wide = ranges_.end() - std::lower_bound(ranges_.begin(), ranges_.end(), distance);
  const double share = static_cast<double>(wide) / static_cast<double>(ranges_.size());
  return share *
         std::exp2(1 - static_cast<double>(estimate.base_processes + estimate.new_processes));
}

}  // namespace apod::judge
