#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace apod::stats {

/// The place of each value among all in ascending order, from 1; equal values share the mean of
/// theirs.
std::vector<double> mean_ranks(std::span<const double> values);

/// The share of the values' sum of squares, 0 to 1, that lies between their groups, `group[i] %
/// groups` being that of value i. 0 where all values are equal. Of ranks it is H / (n - 1), with
/// the H of Kruskal & Wallis (1952), "Use of ranks in one-criterion variance analysis", Journal of
/// the American Statistical Association 47, corrected for ties.
double share_between(std::span<const double> values, std::span<const std::size_t> group,
                     std::size_t groups);

/// The chance that as large a share of the ranks of n values lies between so many groups where none
/// differs: the F test of ranks with groups - 1 and n - groups degrees (Iman & Davenport 1976, "New
/// approximations to the exact distribution of the Kruskal-Wallis test statistic"). It has power
/// with three values per group. n must be greater than groups.
double chance_of_share(double share, std::size_t n, std::size_t groups);

}  // namespace apod::stats
