#include "benchmarks/base/stats/modes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "benchmarks/base/stats/means.hpp"

namespace apod::stats {

std::optional<Modes> two_modes(std::span<const double> values) {
  constexpr std::size_t fewest = 6;
  constexpr std::size_t fewest_of_one = 2;
  if (values.size() < fewest) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::span<const double> all(sorted);
  const auto n = static_cast<double>(all.size());
  const double limit = 3.2 + 36 / n;
  const long double centre = mean(all);
  std::vector<long double> sums{0};
  std::vector<long double> squares{0};
  for (const double value : all) {
    sums.push_back(sums.back() + (value - centre));
    squares.push_back(squares.back() + (value - centre) * (value - centre));
  }
  std::size_t best = 0;
  double best_distance = 0;
  for (std::size_t k = fewest_of_one; k + fewest_of_one <= all.size(); ++k) {
    if (!(sorted[k] > sorted[k - 1])) continue;
    const auto count = static_cast<long double>(k);
    const auto others = static_cast<long double>(all.size() - k);
    const long double upper = sums.back() - sums[k];
    const long double within = squares.back() - sums[k] * sums[k] / count - upper * upper / others;
    const auto deviation = static_cast<double>(std::sqrt(std::max(within, 0.0L) / (n - 2)));
    const auto gap = static_cast<double>(upper / others - sums[k] / count);
    if (!(gap > limit * deviation)) continue;
    const double distance = deviation > 0 ? gap / deviation : HUGE_VAL;
    if (best > 0 && distance <= best_distance) continue;
    best = k;
    best_distance = distance;
  }
  if (best == 0) return std::nullopt;
  const auto low = all.first(best);
  const auto high = all.subspan(best);
  return Modes{mean(low), mean(high), low.size(), high.size()};
}

std::optional<Modes> taking_turns(std::span<const double> values) {
  constexpr std::size_t fewest = 8;
  constexpr std::size_t fewest_of_mode = 3;
  constexpr double fewest_changes = 4;
  if (values.size() < fewest) return std::nullopt;
  const auto modes = two_modes(values);
  if (!modes) return std::nullopt;
  const auto rare = std::min(modes->low_count, modes->high_count);
  if (rare < fewest_of_mode || 10 * rare < values.size()) return std::nullopt;
  const double middle = (modes->low + modes->high) / 2;
  double changes = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    changes += (values[i] > middle) != (values[i - 1] > middle) ? 1 : 0;
  }
  const double at_random = 2 * static_cast<double>(modes->low_count) *
                           static_cast<double>(modes->high_count) /
                           static_cast<double>(values.size());
  if (changes < std::max(fewest_changes, at_random / 2)) return std::nullopt;
  return modes;
}

}  // namespace apod::stats
