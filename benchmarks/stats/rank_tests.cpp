#include "benchmarks/stats/rank_tests.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace apod::stats {
namespace {

/// Up to here the counts of all permutations, at most 2^50, are exact in a double.
constexpr std::size_t most_exact = 50;

void check_finite(std::span<const double> values, const char* function) {
  if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
    throw std::domain_error(std::string(function) + ": a value is not finite");
  }
}

/// Midranks, doubled so that they are whole numbers.
struct Ranks {
  std::vector<std::size_t> doubled;  ///< in the order of the values
  double tie_term = 0;               ///< sum of t^3 - t over groups of t tied values
};

Ranks rank(std::span<const double> values) {
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

double p_of(const Tails& tails, Alternative alternative) {
  if (alternative == Alternative::less) return tails.lower;
  if (alternative == Alternative::greater) return tails.upper;
  return std::min(1.0, 2 * std::min(tails.lower, tails.upper));
}

/// `ways[s]` of all equally likely permutations have the sum s.
Tails exact_tails(std::span<const double> ways, std::size_t seen) {
  const auto at = ways.begin() + static_cast<std::ptrdiff_t>(seen);
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  return {std::accumulate(ways.begin(), at + 1, 0.0) / all,
          std::accumulate(at, ways.end(), 0.0) / all};
}

/// By the normal distribution with a continuity correction of half a rank.
Tails normal_tails(double distance, double deviation) {
  if (deviation == 0) return {};
  const boost::math::normal normal;
  return {boost::math::cdf(normal, (distance + 0.5) / deviation),
          boost::math::cdf(boost::math::complement(normal, (distance - 0.5) / deviation))};
}

/// Ways to choose `count` of the ranks, by their sum.
std::vector<double> choices_by_sum(std::span<const std::size_t> ranks, std::size_t count) {
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

/// Ways to choose any of the ranks, by their sum.
std::vector<double> subsets_by_sum(std::span<const std::size_t> ranks) {
  std::vector<double> ways(std::accumulate(ranks.begin(), ranks.end(), std::size_t{0}) + 1);
  ways[0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t sum = ways.size() - 1; sum >= rank; --sum) ways[sum] += ways[sum - rank];
  }
  return ways;
}

/// Whole numbers in the order of the doubles; both zeros have one.
std::int64_t key_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

double value_of(std::int64_t key) {
  return std::bit_cast<double>(key < 0 ? std::numeric_limits<std::int64_t>::min() - key : key);
}

/// The value that `count` reaches `wanted` at: bisects over all doubles, in at most 64 steps, so
/// that pairs of long series need not be stored.
template <class Count>
double smallest_reaching(std::size_t wanted, const Count& count) {
  std::int64_t low = key_of(-std::numeric_limits<double>::infinity());
  std::int64_t high = key_of(std::numeric_limits<double>::infinity());
  while (low < high) {
    const std::int64_t middle = std::midpoint(low, high);
    if (count(value_of(middle)) >= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return value_of(low);
}

/// Median of `size` values, of which `count(x)` are at most x.
template <class Count>
double median_by_count(std::size_t size, const Count& count) {
  const double low = smallest_reaching((size + 1) / 2, count);
  return size % 2 == 1 ? low : std::midpoint(low, smallest_reaching(size / 2 + 1, count));
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

RankTest mann_whitney(std::span<const double> a, std::span<const double> b,
                      Alternative alternative) {
  check_finite(a, "mann_whitney");
  check_finite(b, "mann_whitney");
  if (a.empty() || b.empty()) return {};
  std::vector<double> both(a.begin(), a.end());
  both.insert(both.end(), b.begin(), b.end());
  const Ranks ranks = rank(both);
  const auto begin_b = ranks.doubled.begin() + static_cast<std::ptrdiff_t>(a.size());
  const std::size_t sum_a = std::accumulate(ranks.doubled.begin(), begin_b, std::size_t{0});

  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  const double u = static_cast<double>(sum_a - a.size() * (a.size() + 1)) / 2;
  if (both.size() <= most_exact) {
    return {u, p_of(exact_tails(choices_by_sum(ranks.doubled, a.size()), sum_a), alternative)};
  }
  const double n = n_a + n_b;
  const double variance = n_a * n_b / 12 * (n + 1 - ranks.tie_term / (n * (n - 1)));
  return {u, p_of(normal_tails(u - n_a * n_b / 2, std::sqrt(variance)), alternative), false};
}

RankTest wilcoxon_signed_rank(std::span<const double> differences, Alternative alternative) {
  check_finite(differences, "wilcoxon_signed_rank");
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double difference : differences) {
    if (difference == 0) continue;
    sizes.push_back(std::abs(difference));
    positive.push_back(difference > 0);
  }
  if (sizes.empty()) return {};
  const Ranks ranks = rank(sizes);
  std::size_t doubled_sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) doubled_sum += positive[i] ? ranks.doubled[i] : 0;

  const double statistic = static_cast<double>(doubled_sum) / 2;
  if (sizes.size() <= most_exact) {
    return {statistic, p_of(exact_tails(subsets_by_sum(ranks.doubled), doubled_sum), alternative)};
  }
  const auto n = static_cast<double>(sizes.size());
  const double variance = (n * (n + 1) * (2 * n + 1) - ranks.tie_term / 2) / 24;
  const double distance = statistic - n * (n + 1) / 4;
  return {statistic, p_of(normal_tails(distance, std::sqrt(variance)), alternative), false};
}

double hodges_lehmann(std::span<const double> a, std::span<const double> b) {
  check_finite(a, "hodges_lehmann");
  check_finite(b, "hodges_lehmann");
  if (a.empty() || b.empty()) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> from = sorted(a);
  const std::vector<double> to = sorted(b);
  // The larger the start, the more ends lie within x of it: one pass over both counts the pairs.
  return median_by_count(from.size() * to.size(), [&](double x) {
    std::size_t count = 0;
    std::size_t ends = 0;
    for (const double start : from) {
      while (ends < to.size() && to[ends] - start <= x) ++ends;
      count += ends;
    }
    return count;
  });
}

double hodges_lehmann(std::span<const double> differences) {
  check_finite(differences, "hodges_lehmann");
  if (differences.empty()) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = sorted(differences);
  return median_by_count(values.size() * (values.size() + 1) / 2, [&](double x) {
    std::size_t count = 0;
    std::size_t end = values.size();  // the larger values[i], the fewer partners it has
    for (std::size_t i = 0; i < values.size(); ++i) {
      while (end > i && values[i] / 2 + values[end - 1] / 2 > x) --end;
      if (end <= i) break;
      count += end - i;
    }
    return count;
  });
}

}  // namespace apod::stats
