#pragma once

/// \file
/// The test of Mann & Whitney 1947 ("On a test of whether one of two random variables is
/// stochastically larger than the other"), by which other tools judge.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

namespace apod::simulation {

/// Midranks in the order of the values, doubled so that they are whole numbers.
inline std::vector<std::size_t> doubled_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<std::size_t> doubled(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    // The ranks are first + 1 ... end; twice their mean is the sum of both.
    for (std::size_t i = first; i < end; ++i) doubled[order[i]] = first + 1 + end;
    first = end;
  }
  return doubled;
}

/// Ways to choose `count` of the ranks, by their sum.
inline std::vector<double> choices_by_sum(std::span<const std::size_t> ranks, std::size_t count) {
  const std::size_t sums = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0}) + 1;
  std::vector<std::vector<double>> ways(count + 1, std::vector<double>(sums));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t chosen = count; chosen > 0; --chosen) {
      for (std::size_t sum = rank; sum < sums; ++sum) {
        ways[chosen][sum] += ways[chosen - 1][sum - rank];
      }
    }
  }
  return ways[count];
}

/// p that `a` and `b`, values finite, come from one distribution, exact and two-sided as SciPy has
/// it. 1 where a side is empty. Up to 50 values: for more the counts of all permutations, at most
/// 2^50, are not exact in a double.
inline double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return 1;
  if (a.size() + b.size() > 50) throw std::invalid_argument("too many values");
  std::vector<double> both(a.begin(), a.end());
  both.insert(both.end(), b.begin(), b.end());
  const auto ranks = doubled_ranks(both);
  const auto begin_b = ranks.begin() + static_cast<std::ptrdiff_t>(a.size());
  const std::size_t sum_a = std::accumulate(ranks.begin(), begin_b, std::size_t{0});
  // Shares of the sums on either side of what was seen, which both contain it.
  const auto ways = choices_by_sum(ranks, a.size());
  const auto seen = ways.begin() + static_cast<std::ptrdiff_t>(sum_a);
  const double lower = std::accumulate(ways.begin(), seen + 1, 0.0);
  const double upper = std::accumulate(seen, ways.end(), 0.0);
  return std::min(1.0, 2 * std::min(lower, upper) / std::accumulate(ways.begin(), ways.end(), 0.0));
}

}  // namespace apod::simulation
