#include "benchmarks/base/stats/t_tests.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <stdexcept>

#include "benchmarks/base/stats/in_double.hpp"

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
  const boost::math::students_t_distribution<double, InDouble> distribution(degrees);
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

}  // namespace apod::stats
