#include "benchmarks/judge/sequential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace apod::judge {
namespace {

/// Variance of the effect size, (mean - threshold) / deviation, in the mixture.
constexpr double effect_variance = 30;
// Clocks tick: differences that agree to the last digit prove nothing.
constexpr double least_spread = 1e-4;
// Beyond, Student's t is the normal distribution.
constexpr double most_degrees = 1e6;

/// Distance of the interval's ends from the mean, in deviations of one difference.
double reach(double n, double degrees, double error) {
  const double r = 1 + effect_variance * n;
  const double excess = std::expm1(std::log(r / (error * error)) / (degrees + 1));  // q - 1
  const double rest = 1 - (1 + excess) / r;
  if (rest <= 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(degrees * excess / rest / n);
}

}  // namespace

SequentialDecision decide(std::span<const double> differences, const SequentialRule& rule,
                          const stats::VarianceEstimate& noise) {
  if (!(rule.error > 0 && rule.error < 1)) throw std::domain_error("decide: error outside (0, 1)");
  if (!(rule.threshold > -1)) throw std::domain_error("decide: a threshold of -1 or below");
  SequentialDecision decision;
  decision.change = {0, -1, std::numeric_limits<double>::infinity()};
  if (differences.empty()) return decision;
  const auto n = static_cast<double>(differences.size());
  const double mean = stats::mean(differences);
  decision.change.value = std::expm1(mean);
  const double elsewhere = std::min(noise.degrees, most_degrees);
  const double degrees = n - 1 + elsewhere;
  if (!(degrees > 0)) return decision;
  const auto squares = static_cast<double>(stats::square_sum(differences, mean));
  const double variance = (squares + noise.variance * elsewhere) / degrees;
  const double deviation = std::max(std::sqrt(variance), least_spread);
  const double half = deviation * reach(n, degrees, rule.error);
  decision.change.low = std::expm1(mean - half);
  decision.change.high = std::expm1(mean + half);
  if (decision.change.low > rule.threshold) decision.standing = Standing::above;
  if (decision.change.high < rule.threshold) decision.standing = Standing::below;
  return decision;
}

}  // namespace apod::judge
