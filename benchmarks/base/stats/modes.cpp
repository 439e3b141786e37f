#include "benchmarks/base/stats/modes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "benchmarks/base/stats/means.hpp"

namespace apod::stats {
namespace {

using Values = std::span<const double>;

/// Sorted values, parted at each gap that is at least `share` of the largest; empty where the
/// groups are smaller than `fewest`, or not apart: their means lie nearer than 3.2 + 36 / n
/// deviations within them.
std::vector<Values> parted(Values sorted, double share, std::size_t fewest) {
  double largest = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    largest = std::max(largest, sorted[i] - sorted[i - 1]);
  std::vector<Values> groups;
  long double squares = 0;
  double nearest = HUGE_VAL;
  for (std::size_t first = 0, i = 1; i <= sorted.size(); ++i) {
    if (i < sorted.size() && !(sorted[i] - sorted[i - 1] >= share * largest)) continue;
    const auto group = sorted.subspan(first, i - first);
    if (group.size() < fewest) return {};
    squares += square_sum(group, mean(group));
    if (!groups.empty()) nearest = std::min(nearest, mean(group) - mean(groups.back()));
    groups.push_back(group);
    first = i;
  }
  const auto n = static_cast<double>(sorted.size());
  const auto deviation = static_cast<double>(
      std::sqrt(squares / static_cast<long double>(sorted.size() - groups.size())));
  return groups.size() > 1 && nearest > (3.2 + 36 / n) * deviation ? groups : std::vector<Values>();
}

/// Two groups, else more. Equal values may be the ticks of a coarse timer, so they are levels only
/// where there are two.
std::vector<Values> levels_of(Values sorted) {
  constexpr std::size_t fewest = 3;
  auto groups = parted(sorted, 1, fewest);
  if (groups.size() == 2) return groups;
  groups = parted(sorted, 0.5, fewest);
  const bool ticks =
      std::ranges::any_of(groups, [](Values group) { return group.front() == group.back(); });
  return ticks ? std::vector<Values>() : groups;
}

std::vector<double> sorted_copy(Values values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

std::optional<Modes> two_modes(Values values) {
  constexpr std::size_t fewest = 6;
  constexpr std::size_t fewest_of_one = 2;
  if (values.size() < fewest) return std::nullopt;
  const auto sorted = sorted_copy(values);
  const auto groups = parted(sorted, 1, fewest_of_one);
  if (groups.size() != 2) return std::nullopt;
  return Modes{mean(groups[0]), mean(groups[1]), groups[0].size(), groups[1].size()};
}

std::vector<double> taking_turns(Values values) {
  constexpr std::size_t fewest = 8;
  constexpr double fewest_changes = 4;
  constexpr std::size_t rarest = 5;  // a fifth of all: rarer values are disturbed ones
  if (values.size() < fewest) return {};
  const auto sorted = sorted_copy(values);
  const auto groups = levels_of(sorted);
  std::vector<double> levels;
  auto at_random = static_cast<double>(sorted.size());
  for (const auto& group : groups) {
    if (rarest * group.size() < sorted.size()) return {};
    at_random -= square(static_cast<double>(group.size())) / static_cast<double>(sorted.size());
    // What looks like one beside a far one may be two.
    const auto within = levels_of(group);
    for (const auto& one : within.empty() ? std::vector{group} : within)
      levels.push_back(mean(one));
  }
  const auto level_of = [&](double value) {
    return std::ranges::find_if(groups, [&](Values one) { return value <= one.back(); });
  };
  double changes = 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    changes += level_of(values[i]) != level_of(values[i - 1]) ? 1 : 0;
  const bool turns = groups.size() > 1 && changes >= std::max(fewest_changes, at_random / 2);
  return turns ? levels : std::vector<double>();
}

}  // namespace apod::stats
