#pragma once

/// \file
/// The test of Mann & Whitney 1947 ("On a test of whether one of two random variables is
/// stochastically larger than the other"), by which other tools judge.

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace apod::simulation {

/// Midranks, doubled so that they are whole numbers.
struct Ranks {
  std::vector<std::size_t> doubled;  ///< in the order of the values
  double tie_term = 0;               ///< sum of t^3 - t over groups of t tied values
};

inline Ranks rank(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Ranks ranks{std::vector<std::size_t>(values.size()), 0};
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    // The ranks are first + 1 ... end; twice their mean is the sum of both.
    for (std::size_t i = first; i < end; ++i) ranks.doubled[order[i]] = first + 1 + end;
    const auto tied = static_cast<double>(end - first);
    ranks.tie_term += tied * tied * tied - tied;
    first = end;
  }
  return ranks;
}

/// Shares of a null distribution on either side of what was seen, which both contain it.
struct Tails {
  double lower = 1;
  double upper = 1;
};

/// `ways[s]` of all equally likely permutations have the sum s.
inline Tails exact_tails(std::span<const double> ways, std::size_t seen) {
  const auto at = ways.begin() + static_cast<std::ptrdiff_t>(seen);
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  return {std::accumulate(ways.begin(), at + 1, 0.0) / all,
          std::accumulate(at, ways.end(), 0.0) / all};
}

/// By the normal distribution with a continuity correction of half a rank.
inline Tails normal_tails(double distance, double deviation) {
  if (deviation == 0) return {};
  const boost::math::normal normal;
  return {boost::math::cdf(normal, (distance + 0.5) / deviation),
          boost::math::cdf(boost::math::complement(normal, (distance - 0.5) / deviation))};
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

/// p that `a` and `b`, values finite, come from one distribution, two-sided as SciPy has it: exact
/// for up to 50 values, ties included, else by the normal distribution. 1 where a side is empty.
inline double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  // Up to here the counts of all permutations, at most 2^50, are exact in a double.
  constexpr std::size_t most_exact = 50;
  if (a.empty() || b.empty()) return 1;
  std::vector<double> both(a.begin(), a.end());
  both.insert(both.end(), b.begin(), b.end());
  const Ranks ranks = rank(both);
  const auto begin_b = ranks.doubled.begin() + static_cast<std::ptrdiff_t>(a.size());
  const std::size_t sum_a = std::accumulate(ranks.doubled.begin(), begin_b, std::size_t{0});
  Tails tails;
  if (both.size() <= most_exact) {
    tails = exact_tails(choices_by_sum(ranks.doubled, a.size()), sum_a);
  } else {
    const auto n_a = static_cast<double>(a.size());
    const auto n_b = static_cast<double>(b.size());
    const double n = n_a + n_b;
    const double u = static_cast<double>(sum_a - a.size() * (a.size() + 1)) / 2;
    const double variance = n_a * n_b / 12 * (n + 1 - ranks.tie_term / (n * (n - 1)));
    tails = normal_tails(u - n_a * n_b / 2, std::sqrt(variance));
  }
  return std::min(1.0, 2 * std::min(tails.lower, tails.upper));
}

}  // namespace apod::simulation
