#include "benchmarks/base/stats/ranks.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <numeric>

#include "benchmarks/base/stats/in_double.hpp"
#include "benchmarks/base/stats/means.hpp"

namespace apod::stats {

std::vector<double> mean_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    auto last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (auto i = first; i <= last; ++i)
      ranks[order[i]] = 1 + static_cast<double>(first + last) / 2;
    first = last + 1;
  }
  return ranks;
}

double share_between(std::span<const double> values, std::span<const std::size_t> group,
                     std::size_t groups) {
  std::vector<double> sums(groups, 0);
  std::vector<double> counts(groups, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[group[i] % groups] += values[i];
    counts[group[i] % groups] += 1;
  }
  const double centre = mean(values);
  const auto all = static_cast<double>(square_sum(values, centre));
  double between = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    if (counts[g] > 0) between += counts[g] * square(sums[g] / counts[g] - centre);
  }
  return all > 0 ? between / all : 0;
}

double chance_of_share(double share, std::size_t n, std::size_t groups) {
  if (share >= 1) return 0;
  const auto between = static_cast<double>(groups - 1);
  const auto within = static_cast<double>(n - groups);
  const boost::math::fisher_f_distribution<double, InDouble> of(between, within);
  return boost::math::cdf(boost::math::complement(of, share / between / ((1 - share) / within)));
}

}  // namespace apod::stats
