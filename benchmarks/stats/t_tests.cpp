#include "benchmarks/stats/t_tests.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

namespace apod::stats {
namespace {

/// Distance of the mean above `bound` in standard errors; infinite where the error is 0.
double t_of(const MeanEstimate& estimate, double bound) {
  const double distance = estimate.mean - bound;
  return distance == 0 ? 0 : distance / estimate.standard_error;
}

}  // namespace

double t_upper_tail(double t, double degrees) {
  if (!(degrees > 0)) throw std::domain_error("t_upper_tail: degrees of freedom must be positive");
  if (std::isnan(t)) return t;
  // Without long double, which takes four times as long and gives no better double.
  using Fast = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const boost::math::students_t_distribution<double, Fast> distribution(degrees);
  return boost::math::cdf(boost::math::complement(distribution, t));
}

double p_above(const MeanEstimate& estimate, double bound) {
  if (estimate.standard_error == 0 && estimate.mean == bound) return 1;
  return t_upper_tail(t_of(estimate, bound), estimate.degrees);
}

double p_below(const MeanEstimate& estimate, double bound) {
  return p_above({-estimate.mean, estimate.standard_error, estimate.degrees}, -bound);
}

double p_different(const MeanEstimate& estimate, double bound) {
  return 2 * t_upper_tail(std::abs(t_of(estimate, bound)), estimate.degrees);
}

double p_equivalent(const MeanEstimate& estimate, double low, double high) {
  const double above = p_above(estimate, low);
  const double below = p_below(estimate, high);
  return std::isnan(below) ? below : std::max(above, below);  // which passes on the first's NaN
}

MeanEstimate mean_estimate(std::span<const double> values) {
  if (values.size() < 2) return {mean(values), 0, 1};
  const auto n = static_cast<double>(values.size());
  return {mean(values), standard_deviation(values) / std::sqrt(n), n - 1};
}

MeanEstimate welch_difference(const MeanEstimate& a, const MeanEstimate& b) {
  const double error = std::hypot(a.standard_error, b.standard_error);
  if (error == 0) return {b.mean - a.mean, 0, 1};
  // By shares, as squares of small errors would vanish.
  const auto share = [&](const MeanEstimate& side) {
    const double ratio = side.standard_error / error;
    return ratio * ratio;
  };
  const double degrees = 1 / (share(a) * share(a) / a.degrees + share(b) * share(b) / b.degrees);
  return {b.mean - a.mean, error, degrees};
}

MeanEstimate welch_difference(std::span<const double> a, std::span<const double> b) {
  return welch_difference(mean_estimate(a), mean_estimate(b));
}

MeanEstimate paired_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) throw std::invalid_argument("paired_difference: spans differ in size");
  std::vector<double> differences(a.size());
  std::transform(b.begin(), b.end(), a.begin(), differences.begin(), std::minus<>());
  return mean_estimate(differences);
}

}  // namespace apod::stats
