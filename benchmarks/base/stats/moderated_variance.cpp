#include "benchmarks/base/stats/moderated_variance.hpp"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "benchmarks/base/stats/means.hpp"

namespace apod::stats {
namespace {

using boost::math::digamma;
using boost::math::trigamma;

/// x > 0 with trigamma(x) = y > 0, by Newton on 1 / trigamma, which is convex and nearly linear, so
/// that every step stays on one side of the root (Smyth 2004, appendix).
double inverse_trigamma(double y) {
  constexpr int most_steps = 50;
  constexpr double precision = 1e-10;
  double x = 0.5 + 1 / y;
  for (int step = 0; step < most_steps; ++step) {
    const double value = trigamma(x);
    const double change = value * (1 - value / y) / boost::math::polygamma(2, x);
    x += change;
    if (-change / x < precision) break;
  }
  return x;
}

}  // namespace

VarianceEstimate variance_prior(std::span<const double> variances, double degrees) {
  if (!(degrees > 0)) throw std::domain_error("variance_prior: degrees must be positive");
  if (variances.size() < 2) return {};
  std::vector<double> logs;
  logs.reserve(variances.size());
  for (const double variance : variances) {
    if (!(variance > 0) || !std::isfinite(variance))
      throw std::domain_error("variance_prior: a variance is not positive and finite");
    logs.push_back(std::log(variance) - digamma(degrees / 2) + std::log(degrees / 2));
  }
  const double deviation = standard_deviation(logs);
  // What the logarithms vary beyond what samples of one variance do.
  const double excess = deviation * deviation - trigamma(degrees / 2);
  if (!(excess > 0)) return {std::exp(mean(logs)), std::numeric_limits<double>::infinity()};
  const double half = inverse_trigamma(excess);
  return {std::exp(mean(logs) + digamma(half) - std::log(half)), 2 * half};
}

VarianceEstimate moderated(const VarianceEstimate& sample, const VarianceEstimate& prior) {
  if (std::isinf(prior.degrees)) return prior;
  const double degrees = sample.degrees + prior.degrees;
  if (!(degrees > 0)) return sample;
  return {(sample.degrees * sample.variance + prior.degrees * prior.variance) / degrees, degrees};
}

}  // namespace apod::stats
