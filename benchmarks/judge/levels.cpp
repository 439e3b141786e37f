#include "benchmarks/judge/levels.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "benchmarks/base/stats/change_points.hpp"
#include "benchmarks/base/stats/means.hpp"

namespace apod::judge {
namespace {

/// By the differences between neighbours, with a margin for what few of them don't know of it.
double noise_of(std::span<const double> values, double least) {
  return std::max(least, margin_of_noise(values.size()) * stats::noise_of_neighbours(values));
}

/// The median of the five values around the i-th: steps stay, lone values do not count.
double level_around(std::span<const double> values, std::size_t i) {
  const std::size_t width = std::min<std::size_t>(5, values.size());
  const std::size_t first = std::min(i - std::min<std::size_t>(i, 2), values.size() - width);
  return stats::median(values.subspan(first, width));
}

/// Whether a value lies alone: far from the level around it, and from both neighbours on the same
/// side; at an end, where the one that would confirm it is not there, from the one that there is.
bool is_outlier(std::span<const double> values, std::size_t i, double noise) {
  const double above = values[i] - level_around(values, i);
  const double far = 4 * noise;
  const double side = above < 0 ? -1 : 1;
  const auto is_far_from = [&](std::size_t other) {
    return side * (values[i] - values[other]) > far;
  };
  return side * above > far && (i == 0 || is_far_from(i - 1)) &&
         (i + 1 == values.size() || is_far_from(i + 1));
}

/// The levels of these values, by themselves.
Levels cut(std::vector<double> values, double least_noise) {
  const double noise = noise_of(values, least_noise);
  Levels levels{values, {}, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_outlier(values, i, noise)) continue;
    levels.outliers.push_back(i);
    levels.values[i] = level_around(values, i);
  }
  levels.starts =
      stats::change_points_in_time(levels.values, noise_of(levels.values, least_noise)).starts;
  return levels;
}

/// Means of the values from `start` on and of those of the segment before, as far as `end`: their
/// difference.
double step_at(std::span<const double> values, const std::vector<std::size_t>& starts,
               std::size_t start, std::size_t end) {
  std::size_t before = 0;
  for (const auto other : starts) {
    if (other < start) before = other;
    if (other > start) end = std::min(end, other);
  }
  return stats::mean(values.subspan(start, end - start)) -
         stats::mean(values.subspan(before, start - before));
}

/// Steps that were shown when the series ended earlier, and that the values since then confirm:
/// three quarters of the step are still there.
void keep_earlier_steps(const std::vector<double>& values, double least_noise, Levels& levels) {
  constexpr std::size_t looked_back = 8;
  constexpr std::size_t fewest = 4;
  constexpr std::size_t longest = 500;  // from there on one more value loses nothing
  constexpr double still_there = 0.75;
  const auto n = values.size();
  if (n > longest) return;
  for (std::size_t end = n; end-- > fewest && n - end <= looked_back;) {
    const auto earlier =
        cut({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(end)}, least_noise);
    for (const auto start : earlier.starts) {
      const bool known = std::any_of(levels.starts.begin(), levels.starts.end(), [&](auto other) {
        return other + 1 >= start && other <= start + 1;
      });
      if (known) continue;
      const double then = step_at(earlier.values, earlier.starts, start, end);
      const double now = step_at(levels.values, levels.starts, start, n);
      if (now * then > 0 && std::abs(now) >= still_there * std::abs(then)) {
        levels.starts.insert(std::upper_bound(levels.starts.begin(), levels.starts.end(), start),
                             start);
      }
    }
  }
}

}  // namespace

Levels levels_in_time(std::vector<double> values, double least_noise) {
  auto levels = cut(values, least_noise);
  keep_earlier_steps(values, least_noise, levels);
  return levels;
}

// The factor 2 keeps histories without a step, of whatever length and however alike neighbours are,
// at a false one in less than 5 of 100 (tests/studies/history_simulation.cpp).
double margin_of_noise(std::size_t n) {
  return 1 + 2 / std::sqrt(static_cast<double>(n));
}

}  // namespace apod::judge
