#include "benchmarks/base/stats/power.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "benchmarks/base/stats/in_double.hpp"

namespace apod::stats {
namespace {

namespace bm = boost::math;

using StudentsT = bm::students_t_distribution<double, InDouble>;
using NonCentralT = bm::non_central_t_distribution<double, InDouble>;
using ChiSquared = bm::chi_squared_distribution<double, InDouble>;
using Normal = bm::normal_distribution<double, InDouble>;

constexpr std::size_t most_units = 1'000'000;
/// With more degrees the standard error is as good as known.
constexpr double most_degrees = 1e9;

/// Throws std::domain_error unless `valid`.
void check(bool valid) {
  if (!valid) throw std::domain_error("power: an argument is out of range");
}

void check(double standard_error, double degrees, double alpha) {
  check(degrees > 0 && alpha > 0 && alpha < 0.5 && !(standard_error < 0));
}

double critical_t(double degrees, double alpha) {
  return bm::quantile(bm::complement(StudentsT(degrees), alpha));
}

/// P(T > critical) for T = (Z + shift) / S, Z standard normal, S^2 a chi-squared over its degrees.
double upper_tail(double shift, double degrees, double critical) {
  // Boost's series takes ever longer with the shift, and fails in the end. But there Z is small
  // beside the shift, and three points of Gauss and Hermite integrate P(S < (Z + shift) / critical)
  // over it.
  constexpr double far = 50;
  if (shift < -far) return 0;
  if (shift <= far) return bm::cdf(bm::complement(NonCentralT(degrees, shift), critical));
  const auto chance = [&](double z) {
    const double s = std::min((z + shift) / critical, 1e3);  // no S is larger
    return bm::cdf(ChiSquared(degrees), degrees * s * s);
  };
  const double z = std::sqrt(3.0);
  return 2.0 / 3 * chance(0) + (chance(z) + chance(-z)) / 6;
}

/// Effect in standard errors that is found with `power`: Johnson & Welch 1940, "Applications of the
/// non-central t-distribution", for many degrees; few make the spread of S all that matters.
double approximate_shift(double degrees, double critical, double power) {
  const double z = bm::quantile(Normal(), power);
  const double curved =
      critical * (1 - 1 / (4 * degrees)) + z * std::sqrt(1 + critical * critical / (2 * degrees));
  if (degrees > 30 || critical < 3) return curved;
  return critical * std::sqrt(bm::quantile(ChiSquared(degrees), power) / degrees);
}

double shift_for(double degrees, double alpha, double power) {
  // Cases of one suite often have the same degrees.
  thread_local std::array<double, 4> last{};
  if (last[0] == degrees && last[1] == alpha && last[2] == power) return last[3];
  const double critical = critical_t(degrees, alpha);
  const double wanted = bm::quantile(Normal(), power);
  // As normal quantiles the power is almost a straight line over the shift: few steps are needed.
  const auto excess = [&](double shift) {
    const double found = std::clamp(upper_tail(shift, degrees, critical), 1e-300, 1 - 1e-16);
    return bm::quantile(Normal(), found) - wanted;
  };
  const double guess = std::max(approximate_shift(degrees, critical, power), 1e-3);
  std::uintmax_t steps = 200;
  const auto [low, high] = bm::tools::bracket_and_solve_root(
      excess, guess, 1.05, true, bm::tools::eps_tolerance<double>(30), steps, InDouble());
  last = {degrees, alpha, power, std::midpoint(low, high)};
  return last[3];
}

/// Smallest number in [2, most_units] that is enough, searched in growing steps from a guess below
/// most_units. The largest is taken to be enough, so it is never asked for.
template <class Enough>
std::size_t smallest_from(std::size_t probe, const Enough& enough) {
  std::size_t low = 2;
  std::size_t high = most_units;
  for (std::size_t step = 1; low < high; step *= 2) {
    if (enough(probe)) {
      high = probe;
      probe = std::max(std::midpoint(low, high), high - std::min(step, high));
    } else {
      low = probe + 1;
      probe = std::min(std::midpoint(low, high), low + step - 1);
    }
  }
  return low;
}

}  // namespace

double t_test_power(double effect, double standard_error, double degrees, double alpha) {
  check(standard_error, degrees, alpha);
  if (standard_error == 0) return effect > 0 ? 1 : 0;
  const double shift = effect / standard_error;
  if (std::isnan(shift)) return shift;
  degrees = std::min(degrees, most_degrees);
  return upper_tail(shift, degrees, critical_t(degrees, alpha));
}

double detectable_effect(double standard_error, double degrees, double alpha, double power) {
  check(standard_error, degrees, alpha);
  check(power > alpha && power < 1);
  if (standard_error == 0) return 0;
  return standard_error * shift_for(std::min(degrees, most_degrees), alpha, power);
}

std::size_t units_to_detect(double effect, double deviation, double degrees_per_unit,
                            double degrees_lost, double alpha, double power) {
  check(deviation, degrees_per_unit, alpha);
  check(power > alpha && power < 1);
  check(std::isfinite(degrees_lost));
  if (!(effect > 0) || !std::isfinite(deviation)) return most_units;
  const auto enough = [&](std::size_t units) {
    const auto n = static_cast<double>(units);
    const double degrees = degrees_per_unit * n - degrees_lost;
    return degrees >= 1 && t_test_power(effect, deviation / std::sqrt(n), degrees, alpha) >= power;
  };
  // By the normal distribution, with the usual addition for t (Guenther 1981, "Sample size formulas
  // for normal theory t tests"); the search around it ends within a few steps.
  const double z = bm::quantile(bm::complement(Normal(), alpha));
  const double shift = (z + bm::quantile(Normal(), power)) * (deviation / effect);
  const double guess = shift * shift + z * z / (2 * degrees_per_unit);
  constexpr auto largest_probe = static_cast<double>(most_units - 1);
  const double probe = std::clamp(std::ceil(guess), 2.0, largest_probe);
  return smallest_from(static_cast<std::size_t>(probe), enough);
}

}  // namespace apod::stats
