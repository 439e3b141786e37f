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
  std::optional<Modes> best;
  double best_distance = 0;
  for (std::size_t k = fewest_of_one; k + fewest_of_one <= all.size(); ++k) {
    const auto low = all.first(k);
    const auto high = all.subspan(k);
    const Modes modes{mean(low), mean(high), low.size(), high.size()};
    const double squares =
        static_cast<double>(square_sum(low, modes.low) + square_sum(high, modes.high));
    const double deviation = std::sqrt(squares / (n - 2));
    const double gap = modes.high - modes.low;
    if (!(gap > limit * deviation)) continue;
    const double distance = deviation > 0 ? gap / deviation : HUGE_VAL;
    if (best && distance <= best_distance) continue;
    best = modes;
    best_distance = distance;
  }
  return best;
}

}  // namespace apod::stats
