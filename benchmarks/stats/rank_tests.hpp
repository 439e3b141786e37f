#pragma once

/// \file
/// Rank tests and the shift estimates that belong to them. Boost.Math has none of these.

#include <cstdint>
#include <span>

namespace apod::stats {

/// `greater`: the first sample (or the differences) tends to be larger.
enum class Alternative : std::uint8_t { two_sided, less, greater };

struct RankTest {
  double statistic = 0;  ///< U of the first sample, or the sum of the positive ranks
  double p = 1;
  bool exact = true;  ///< from the permutation distribution; false: normal approximation
};

/// Mann-Whitney U (Mann & Whitney 1947, "On a test of whether one of two random variables is
/// stochastically larger than the other"). Exact, ties included, by counting the permutations of
/// the (mid)ranks where both samples together have at most 50 values; else the normal
/// approximation with tie and continuity corrections. Two-sided p is twice the smaller tail, at
/// most 1, as in SciPy; with ties too. p is 1 where a sample is empty. Values must be finite
/// (std::domain_error). Two samples of 25 take 1 ms, two of 10 take 0.03 ms.
RankTest mann_whitney(std::span<const double> a, std::span<const double> b,
                      Alternative alternative = Alternative::two_sided);

/// Wilcoxon's signed-rank test of differences against 0 (Wilcoxon 1945, "Individual comparisons by
/// ranking methods"). Zeros are left out, as Wilcoxon did. Exact with ties up to 50 differences,
/// else the normal approximation with tie and continuity corrections; two-sided p as above. p is 1
/// where nothing is left. Values must be finite (std::domain_error).
RankTest wilcoxon_signed_rank(std::span<const double> differences,
                              Alternative alternative = Alternative::two_sided);

/// Median of all b_j - a_i: the shift from a to b (Hodges & Lehmann 1963, "Estimates of location
/// based on rank tests"). NaN where a sample is empty; values must be finite (std::domain_error).
/// Needs no memory for the pairs, and time for 64 passes over the sorted samples.
double hodges_lehmann(std::span<const double> a, std::span<const double> b);
/// Median of the Walsh averages (d_i + d_j) / 2, i <= j: the same for paired differences.
double hodges_lehmann(std::span<const double> differences);

}  // namespace apod::stats
