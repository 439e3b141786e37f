#include "benchmarks/base/stats/centre.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "benchmarks/base/stats/means.hpp"

namespace apod::stats {
namespace {

constexpr double of_normal = 1.4826;  // median distance to standard deviation
// Values that agree to the last digit must not keep their neighbours out.
constexpr double least_distance = 1e-4;

Centre around(std::span<const double> members) {
  const double middle = median(members);
  return {middle, deviation_from(middle, members), members.size()};
}

}  // namespace

double deviation_from(double centre, std::span<const double> values) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) {
    if (!std::isnan(value)) distances.push_back(std::abs(value - centre));
  }
  return distances.empty() ? 0 : of_normal * median(distances);
}

Centre centre_of(std::span<const double> values) {
  std::vector<double> all;
  all.reserve(values.size());
  for (const double value : values) {
    if (!std::isnan(value)) all.push_back(value);
  }
  constexpr std::size_t fewest = 3;
  if (all.size() < fewest) return {};
  const auto half = static_cast<std::ptrdiff_t>((all.size() + 1) / 2);
  std::nth_element(all.begin(), all.begin() + half - 1, all.end(),
                   [](double a, double b) { return std::abs(a) < std::abs(b); });
  Centre centre = around(std::span(all).first(static_cast<std::size_t>(half)));
  constexpr int most_steps = 20;
  for (int step = 0; step < most_steps; ++step) {
    const double limit = std::max(farthest_member * centre.deviation, least_distance);
    std::vector<double> members;
    members.reserve(all.size());
    for (const double value : all) {
      if (std::abs(value - centre.value) <= limit) members.push_back(value);
    }
    const bool settled = members.size() == centre.members;
    centre = around(members);
    if (settled) break;
  }
  return centre;
}

}  // namespace apod::stats
