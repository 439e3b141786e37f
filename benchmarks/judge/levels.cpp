#include "benchmarks/judge/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "benchmarks/base/stats/change_points.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/modes.hpp"

namespace apod::judge {
namespace {

/// By the differences between neighbours, with a margin for what few of them don't know of it.
double noise_of(std::span<const double> values, double least) {
  return std::max(least, margin_of_noise(values.size()) * stats::noise_of_neighbours(values));
}

/// An outlier lies this many times the noise out.
constexpr double many_times = 4;

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
  const double side = above < 0 ? -1 : 1;
  const auto is_far_from = [&](std::size_t other) {
    return side * (values[i] - values[other]) > many_times * noise;
  };
  return side * above > many_times * noise && (i == 0 || is_far_from(i - 1)) &&
         (i + 1 == values.size() || is_far_from(i + 1));
}

/// The index of the first value, from `start` on, that is not an outlier. A level begins there.
std::size_t behind_outliers(std::size_t start, const std::vector<std::size_t>& outliers) {
  while (std::ranges::binary_search(outliers, start)) ++start;
  return start;
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

/// Whether two values or more from `start` on, the first of which was an outlier when it was the
/// last, form a step: each lies far from the level before, by the noise and by the deviation within
/// both levels, which neighbours that are alike can't hide.
bool is_step(const std::vector<double>& values, const Levels& levels, std::size_t start,
             double noise) {
  std::size_t begin = 0;
  std::size_t end = values.size();
  for (const auto other : levels.starts) {
    if (other < start) begin = other;
    if (other > start) end = std::min(end, other);
  }
  if (end - start < 2 || start - begin < 2) return false;
  const std::span all(values);
  const auto before = all.subspan(begin, start - begin);
  const auto after = all.subspan(start, end - start);
  const auto squares =
      stats::square_sum(before, stats::mean(before)) + stats::square_sum(after, stats::mean(after));
  const auto n = end - begin;
  const double within = std::sqrt(static_cast<double>(squares) / static_cast<double>(n - 2));
  const double far = many_times * std::max(noise, margin_of_noise(n) * within);
  const double level = stats::median(before);
  const double side = after.front() < level ? -1 : 1;
  return std::ranges::all_of(after, [&](double value) { return side * (value - level) > far; });
}

/// Of a few values each beyond the one before, to one side.
std::optional<stats::Drift> one_way(std::span<const double> values) {
  constexpr std::size_t fewest = 5;
  const double least = std::log(1.5);
  if (values.size() < fewest) return std::nullopt;
  const double change = values.back() - values.front();
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (!((values[i] - values[i - 1]) * change > 0)) return std::nullopt;
  }
  if (std::abs(change) < least) return std::nullopt;
  return stats::Drift{values.size(), change};
}

/// The drift at the end of the values, of 1 % or more.
std::optional<stats::Drift> drift_of(const std::vector<double>& values, const Levels& levels) {
  constexpr double least_drift = 0.01;
  auto drift = values.size() < stats::fewest_of_drift
                   ? one_way(values)
                   : stats::drift_at_end(levels.values, levels.starts);
  if (drift && std::abs(drift->change) < least_drift) drift.reset();
  return drift;
}

/// Values of a series, from `first` to before `end`.
struct Stretch {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// Whether `start` is a step within the stretch: its first value may be a step to it.
bool is_within(std::size_t start, const Stretch& stretch) {
  return stretch.first < start && start < stretch.end;
}

/// The stretches from one step to another in which the values take turns between levels, the last
/// first. They have no steps in them.
std::vector<Stretch> turns_between(std::span<const double> values,
                                   const std::vector<std::size_t>& starts) {
  std::vector<Stretch> turns;
  std::vector<std::size_t> firsts{0};
  firsts.insert(firsts.end(), starts.begin(), starts.end());
  for (auto end = values.size(); !firsts.empty();) {
    const auto first = std::ranges::find_if(firsts, [&](std::size_t one) {
      return !stats::taking_turns(values.subspan(one, end - one)).empty();
    });
    const bool takes_turns = first != firsts.end();
    if (takes_turns) turns.push_back({*first, end});
    end = takes_turns ? *first : firsts.back();
    firsts.erase(takes_turns ? first : firsts.end() - 1, firsts.end());
  }
  return turns;
}

/// What a series showed as it grew, one value after another, and what of it is still there.
class Findings {
 public:
  explicit Findings(double least_noise) : least_noise_(least_noise) {}

  /// Takes in the values so far.
  Levels of(std::vector<double> values) {
    if (!stats::taking_turns(values).empty()) return {std::move(values), {}, {}};
    auto levels = cut(values, least_noise_);
    turns_ = turns_between(values, levels.starts);
    std::erase_if(levels.starts, [&](std::size_t start) { return takes_turns(start); });
    begin_behind_outliers(values, levels);
    const auto cut_alone = levels;
    auto steps = steps_of(values, levels);
    const bool ends_in_turns = !turns_.empty() && turns_.front().end == values.size();
    if (!ends_in_turns) levels.drift = drift_of(values, levels);
    const auto first = levels.drift ? values.size() - levels.drift->values : values.size();
    if (levels.drift) {
      drifts_from_ = std::min(drifts_from_, first);
    } else if (std::exchange(drifts_from_, nowhere) != nowhere) {
      levels = cut_alone;
      steps = steps_of(values, levels);
    }
    std::erase_if(levels.starts, [&](std::size_t start) { return start > first; });
    for (const auto& step : steps) {
      if (step.end == values.size() && step.first <= first) steps_[step.first] = step;
    }
    if (levels.drift) {
      drift_ = Shown{first, values.size(), levels.drift->change};
    } else {
      keep_drift(values, levels);
    }
    if (!levels.outliers.empty() && levels.outliers.back() + 1 == values.size())
      last_outliers_.emplace_back(values.size() - 1, noise_of(values, least_noise_));
    return levels;
  }

 private:
  struct Shown {
    std::size_t first = 0;
    std::size_t end = 0;
    double change = 0;
  };

  bool takes_turns(std::size_t start) const {
    return std::ranges::any_of(turns_, [&](const auto& turn) { return is_within(start, turn); });
  }

  /// Values that take turns are no outliers, and no level begins at one.
  void begin_behind_outliers(const std::vector<double>& values, Levels& levels) const {
    std::erase_if(levels.outliers, [&](std::size_t i) {
      const bool is_turn = takes_turns(i) || takes_turns(i + 1);
      if (is_turn) levels.values[i] = values[i];
      return is_turn;
    });
    for (auto& start : levels.starts) {
      const auto next = behind_outliers(start, levels.outliers);
      for (; start < next; ++start) levels.values[start] = levels.values[start - 1];
    }
    const auto same = std::ranges::unique(levels.starts);
    levels.starts.erase(same.begin(), same.end());
    std::erase_if(levels.starts, [&](std::size_t start) { return start + 2 > values.size(); });
  }

  static bool is_still_there(const Shown& step, const Levels& levels) {
    constexpr double still_there = 0.75;
    const double now = step_at(levels.values, levels.starts, step.first, levels.values.size());
    return now * step.change > 0 && std::abs(now) >= still_there * std::abs(step.change);
  }

  /// Adds a step, unless one at its place is shown, or one of all would not be still there.
  static void add(const Shown& step, Levels& levels, std::vector<Shown>& steps) {
    const bool is_shown = std::any_of(steps.begin(), steps.end(), [&](const Shown& other) {
      return other.first + 1 >= step.first && other.first <= step.first + 1;
    });
    if (is_shown) return;
    auto with = levels;
    with.starts.insert(std::ranges::upper_bound(with.starts, step.first), step.first);
    steps.push_back(step);
    if (std::ranges::all_of(steps, [&](const auto& each) { return is_still_there(each, with); })) {
      levels.starts = std::move(with.starts);
    } else {
      steps.pop_back();
    }
  }

  /// The steps of these values, those that a last value began which lay far out as all since then
  /// do, and those that were shown for fewer values, the newest first, and that no drift hides.
  std::vector<Shown> steps_of(const std::vector<double>& values, Levels& levels) const {
    constexpr std::size_t looked_back = 12;
    const auto found_at = [&](std::size_t start) {
      return Shown{start, values.size(),
                   step_at(levels.values, levels.starts, start, values.size())};
    };
    std::vector<Shown> steps;
    for (const auto start : levels.starts) steps.push_back(found_at(start));
    for (const auto& [last, noise] : last_outliers_) {
      const auto start = behind_outliers(last, levels.outliers);
      if (!takes_turns(start) && is_step(values, levels, start, noise))
        add(found_at(start), levels, steps);
    }
    std::vector<Shown> before;
    for (const auto& [start, step] : steps_) {
      const bool is_hidden = start > drifts_from_ || takes_turns(start);
      if (is_hidden || values.size() - step.end > looked_back) continue;
      before.push_back({behind_outliers(start, levels.outliers), step.end, step.change});
    }
    std::ranges::stable_sort(before, std::ranges::greater(), &Shown::end);
    for (const auto& step : before) add(step, levels, steps);
    return steps;
  }

  /// A drift whose end is where the values are since then was a step: at its middle, as the steps
  /// that many more values show, unless one in it is known.
  void keep_drift(const std::vector<double>& values, Levels& levels) const {
    constexpr double still_there = 0.65;
    if (!drift_) return;
    const std::span all(values);
    const auto [first, end, change] = *drift_;
    if (!levels.starts.empty() && levels.starts.back() > first) return;
    const auto fifth = (end - first + 4) / 5;
    const double moved = stats::mean(all.subspan(end)) - stats::mean(all.subspan(first, fifth));
    if (moved / change < still_there) return;
    levels.starts.push_back(behind_outliers(first + (end - first) / 2, levels.outliers));
  }

  double least_noise_;
  std::vector<Stretch> turns_;          ///< of the values so far
  std::map<std::size_t, Shown> steps_;  ///< by their starts, as they were last found and shown
  std::vector<std::pair<std::size_t, double>> last_outliers_;  ///< with the noise then
  std::optional<Shown> drift_;                                 ///< the last one
  static constexpr auto nowhere = std::numeric_limits<std::size_t>::max();
  std::size_t drifts_from_ = nowhere;  ///< the first value of all drifts up to now, without a break
};

}  // namespace

Levels levels_in_time(std::vector<double> values, double least_noise) {
  constexpr std::size_t looked_back = 24;
  constexpr std::size_t fewest = 4;
  constexpr std::size_t longest = 500;  // what more would take is too long
  const auto n = values.size();
  Findings findings(least_noise);
  if (n > fewest && n <= longest) {
    for (auto end = std::max(fewest, n - std::min(n, looked_back)); end < n; ++end)
      findings.of({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(end)});
  }
  return findings.of(std::move(values));
}

// With the factor 2, histories without a step show a false one in at most 11 of 100, of whatever
// length and however alike neighbours are (tests/studies/history_simulation.cpp).
double margin_of_noise(std::size_t n) {
  return 1 + 2 / std::sqrt(static_cast<double>(n));
}

std::string changes_text(const std::vector<double>& changes) {
  const auto [least, most] = std::minmax_element(changes.begin(), changes.end());
  if (*least < 0 && *most > 0)
    return fmt::format("{:+.1f} to {:+.1f} %", 100 * *least, 100 * *most);
  const double middle = 100 * stats::median(changes);
  return fmt::format("{:+.1f} %{}", middle, changes.size() > 1 ? " (median)" : "");
}

}  // namespace apod::judge
