#include "benchmarks/judge/nights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "benchmarks/base/stats/centre.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/judge/side_logs.hpp"

namespace apod::judge {
namespace {

constexpr std::size_t nights_of_level = 5;
/// Nights of the base that may be counted with the new side's.
constexpr std::size_t most_of_base = 3;
/// With fewer cases a night's restlessness is not known.
constexpr std::size_t fewest_for_restlessness = 8;
constexpr double deviation_of_median = 1.4826;  // median distance to standard deviation
constexpr double most_noise = 0.5;              // ln 1.65
constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// The median of the last five values before the night `end`; NaN where there are fewer.
double level_before(const NightRow& row, std::size_t end) {
  std::vector<double> last;
  for (std::size_t t = end; t-- > 0 && last.size() < nights_of_level;) {
    if (!std::isnan(row[t])) last.push_back(row[t]);
  }
  return last.size() < nights_of_level ? none : stats::median(last);
}

/// Beyond this many times the usual distance a night is wild; where this part of it is left against
/// the nights that follow, it began a step.
constexpr double wild = 4;
/// A step is confirmed by at least so many nights.
constexpr std::size_t confirming = 3;

/// A night that those after it confirm began a step, and says nothing of how wild nights are, nor
/// do the next ones, which are still expected on the level before: each is held against the median
/// of up to five others of the new level.
void follow_steps(const NightRow& row, const std::vector<std::size_t>& known, NightRow& surprises) {
  std::vector<double> sizes;
  for (const auto t : known) sizes.push_back(std::abs(surprises[t]));
  const double far = wild * stats::median(sizes);
  // Whether most of the i-th night's surprise is gone against the others of [first, last).
  const auto follow = [&](std::size_t i, std::size_t first, std::size_t last) {
    double& surprise = surprises[known[i]];
    if (std::abs(surprise) <= far) return false;
    std::vector<double> others;
    for (std::size_t k = first; k < last; ++k) {
      if (k != i) others.push_back(row[known[k]]);
    }
    const double left = row[known[i]] - stats::median(others);
    if (wild * std::abs(left) >= std::abs(surprise)) return false;
    surprise = left;
    return true;
  };
  for (std::size_t i = 0; i + confirming < known.size(); ++i) {
    const auto last = std::min(known.size(), i + 1 + nights_of_level);
    if (!follow(i, i, last)) continue;
    for (std::size_t k = i + 1; k < last; ++k) follow(k, i, last);
  }
}

/// Every night less what was expected of it: the median of the five before it; of the first five
/// nights that of the first six without itself; of a night that began a step what followed.
NightRow surprises(const NightRow& row) {
  NightRow result(row.size(), none);
  std::vector<std::size_t> known;
  for (std::size_t t = 0; t < row.size(); ++t) {
    if (!std::isnan(row[t])) known.push_back(t);
  }
  if (known.size() < fewest_nights) return result;
  for (std::size_t i = 0; i < known.size(); ++i) {
    std::vector<double> others;
    const std::size_t first = i < nights_of_level ? 0 : i - nights_of_level;
    const std::size_t last = i < nights_of_level ? std::min(known.size(), nights_of_level + 1) : i;
    for (std::size_t k = first; k < last; ++k) {
      if (k != i) others.push_back(row[known[k]]);
    }
    result[known[i]] = row[known[i]] - stats::median(others);
  }
  follow_steps(row, known, result);
  return result;
}

/// Takes a distance in where it is one of the two farthest.
void widen(Distances::Tail& tail, double size) {
  tail.second = std::max(tail.second, std::min(tail.worst, size));
  tail.worst = std::max(tail.worst, size);
}

Distances distances_of(std::span<const double> surprises, double tick) {
  Distances result;
  result.tick = tick;
  std::vector<double> sizes;
  for (const double one : surprises) {
    if (std::isnan(one)) continue;
    sizes.push_back(std::abs(one));
    widen(result.both, sizes.back());
    if (one > 0) widen(result.slow, one);
    if (sizes.back() > most_noise) ++result.beyond_most;
  }
  result.count = sizes.size();
  if (sizes.size() < 2) return result;
  result.deviation = std::max(least_deviation, deviation_of_median * stats::median(sizes));
  return result;
}

/// Distances of all cases on one night, and how restless it was.
struct Night {
  std::vector<double> totals;  ///< from the level
  std::vector<double> beyond;  ///< the same without what all share
  double shift = 0;
  double restlessness = 1;
};

/// The base as of some night: what it expects, and how far it is used to be wrong.
class AsOf {
 public:
  AsOf(const NightRows& base, const std::vector<NightRow>& expected_by,
       std::span<const double> ticks, std::size_t nights)
      : end(nights) {
    for (std::size_t i = 0; i < base.cases.size(); ++i) {
      levels.push_back(level_before(base.cases[i], nights));
      distances.push_back(distances_of(std::span(expected_by[i]).first(nights), ticks[i]));
    }
  }

  /// The cases' values of a night, against this.
  template <class Value>
  Night night(std::size_t cases, const Value& value) const {
    Night night;
    for (std::size_t i = 0; i < cases; ++i) night.totals.push_back(value(i) - levels[i]);
    const auto centre = stats::centre_of(night.totals);
    night.shift = centre.value;
    // Half of a suite may have changed: it says nothing of how restless the rest was.
    const double farthest = std::max(stats::farthest_member * centre.deviation, least_deviation);
    night.beyond = night.totals;
    std::vector<double> sizes;
    for (std::size_t i = 0; i < cases; ++i) {
      night.beyond[i] -= night.shift;
      if (std::abs(night.beyond[i]) <= farthest && distances[i].deviation > 0)
        sizes.push_back(deviation_of_median * std::abs(night.beyond[i]) / distances[i].deviation);
    }
    if (sizes.size() >= fewest_for_restlessness)
      night.restlessness = std::max(1.0, stats::median(sizes));
    return night;
  }

  std::size_t end;
  std::vector<double> levels;
  std::vector<Distances> distances;
};

/// A night of one case: its distance, and the noise there.
struct Step {
  Step(double distance, const Distances& known, std::uint32_t on, double restlessness = 1)
      : beyond(distance),
        noise(noise_of_nights(known, distance > 0, restlessness)),
        noise_of_other(noise_of_nights(known, !(distance > 0), restlessness)),
        occasion(on) {}

  double beyond;
  double noise;
  double noise_of_other;
  std::uint32_t occasion;
};

/// The nights of a case, or of the shift, as they are seen with some of the base's taken for the
/// new side's.
struct Seen {
  double before = none;     ///< how far the night before them is beyond
  std::vector<Step> steps;  ///< those of the base come first
};

/// 1 and -1: the night lies beyond its noise, on the slow or the fast side. 0: within it.
int side_of(const Step& step) {
  if (!(std::abs(step.beyond) > step.noise)) return 0;
  return step.beyond > 0 ? 1 : -1;
}

/// The last night, and those before it that say the same.
std::span<const Step> speaking(const std::vector<Step>& steps) {
  std::size_t count = 0;
  while (count < steps.size() &&
         side_of(steps[steps.size() - 1 - count]) == side_of(steps.back())) {
    ++count;
  }
  return std::span(steps).last(count);
}

/// Whether the night before already lies where these do, nearer to the nearest of them than to the
/// level: then they are in the middle of a level that the base has had for longer.
bool began_earlier(const Seen& seen) {
  const double side = seen.steps.front().beyond < 0 ? -1 : 1;
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& step : seen.steps) nearest = std::min(nearest, side * step.beyond);
  return 2 * side * seen.before > nearest;
}

/// The word on a case, or on the shift, by the number of the base's nights that are taken. Where no
/// row reaches into the base it is that with `usual` of them.
NightWord word_of(const std::vector<Seen>& seen, std::size_t usual) {
  NightWord word;
  word.taken = usual;
  for (std::size_t taken = 0; taken < seen.size(); ++taken) {
    const auto steps = speaking(seen[taken].steps);
    if (side_of(steps.back()) == 0) continue;
    const bool all_speak = steps.size() == seen[taken].steps.size();
    if (taken > 0 && (!all_speak || began_earlier(seen[taken]))) continue;
    word.in_a_row = steps.size();
    const bool another_time = steps.front().occasion != steps.back().occasion;
    const bool all_far = std::ranges::all_of(
        steps, [](const Step& step) { return std::abs(step.beyond) > sure_beyond(step.noise); });
    word.sure |= another_time && all_far;
    word.taken = taken;
  }
  const auto& steps = seen[word.taken].steps;
  const auto new_nights = steps.size() - word.taken;
  word.new_nights = std::min(speaking(steps).size(), new_nights);
  word.other_nights = new_nights - word.new_nights;
  std::vector<double> distances;
  for (const auto& step : std::span(steps).last(word.new_nights)) {
    distances.push_back(step.beyond);
    word.noise = std::max(word.noise, step.noise);
    word.noise_of_other = std::max(word.noise_of_other, step.noise_of_other);
  }
  word.beyond = stats::median(distances);
  return word;
}

/// The change, and what is known of it by the nights of the base that the word is on. The standard
/// error is that of a mean of n nights from a level that is the median of five, whose own variance
/// is 1.57 times that of their mean.
void fill(const Distances& distances, double change, NightWord& word) {
  word.change = change;
  word.base_nights = distances.count;
  word.wild = distances.beyond_most >= 2 && 10 * distances.beyond_most >= distances.count;
  word.degrees = static_cast<double>(std::max<std::size_t>(distances.count, 2) - 1);
  word.error = distances.deviation *
               std::sqrt(1 / static_cast<double>(word.new_nights) + 1.57 / nights_of_level);
}

}  // namespace

double noise_of_nights(const Distances& distances, bool slower, double restlessness) {
  const auto& tail = slower ? distances.slow : distances.both;
  const double of_one_wild_night = std::log(1.43);
  const double s =
      distances.deviation * restlessness *
      (1 + 2 / std::sqrt(static_cast<double>(std::max<std::size_t>(distances.count, 1))));
  const double noise = std::max(10 * s, tail.worst + 2 * s);
  const double of_a_wild_case = std::min(std::max(3 * s, tail.second), most_noise);
  return std::max(2 * distances.tick, std::min(noise, std::max(of_one_wild_night, of_a_wild_case)));
}

double sure_beyond(double noise) {
  return std::min(2 * noise, most_noise);
}

Nights::Nights(const NightRows& base, const NightRows& new_side, std::span<const double> ticks)
    : cases_(base.cases.size()) {
  const auto& rows = base.cases;
  const auto& after = new_side.cases;
  const std::size_t nights = base.occasions.size();
  const std::size_t new_nights = new_side.occasions.size();
  if (rows.empty() || nights < fewest_nights) return;
  // Of the t-th night behind the first of those that are taken.
  const auto occasion_of = [&](std::size_t taken, std::size_t t) {
    return t < taken ? base.occasions[nights - taken + t] : new_side.occasions[t - taken];
  };
  std::vector<NightRow> expected;
  for (const auto& row : rows) expected.push_back(surprises(row));
  // What all cases of a night share is none of theirs.
  NightRow shifts;
  std::vector<double> of_night(rows.size());
  for (std::size_t t = 0; t < nights; ++t) {
    for (std::size_t i = 0; i < rows.size(); ++i) of_night[i] = expected[i][t];
    const auto centre = stats::centre_of(of_night);
    shifts.push_back(centre.members > 0 ? centre.value : none);
    if (centre.members == 0) continue;
    for (auto& row : expected) row[t] -= centre.value;
  }
  // By the number of the base's nights that are taken: the night before them, they, the new side's.
  std::vector<AsOf> views;
  std::vector<std::vector<Night>> seen;
  for (std::size_t taken = 0; taken <= most_of_base && nights - taken >= fewest_nights; ++taken) {
    const auto& view = views.emplace_back(base, expected, ticks, nights - taken);
    auto& all = seen.emplace_back();
    for (std::size_t t = view.end - 1; t < nights; ++t)
      all.push_back(view.night(rows.size(), [&](std::size_t i) { return rows[i][t]; }));
    for (std::size_t t = 0; t < new_nights; ++t)
      all.push_back(view.night(rows.size(), [&](std::size_t i) { return after[i][t]; }));
  }
  const auto known = [&](std::size_t taken, std::size_t i) {
    return !std::isnan(views[taken].levels[i]);
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) count += known(0, i) ? 1 : 0;
  if (!std::isnan(shifts.back()) && count >= 3) {
    std::vector<Seen> of_shift;
    for (std::size_t taken = 0; taken < views.size(); ++taken) {
      const auto distances = distances_of(std::span(shifts).first(views[taken].end), 0);
      auto& one = of_shift.emplace_back();
      one.before = seen[taken].front().shift;
      for (std::size_t t = 1; t < seen[taken].size(); ++t)
        one.steps.emplace_back(seen[taken][t].shift, distances, occasion_of(taken, t - 1));
    }
    common_ = word_of(of_shift, 0);
    fill(distances_of(std::span(shifts).first(views[common_->taken].end), 0), common_->beyond,
         *common_);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!known(0, i)) continue;
    std::vector<Seen> of_case;
    for (std::size_t taken = 0; taken < views.size(); ++taken) {
      auto& one = of_case.emplace_back();
      one.before = seen[taken].front().beyond[i];
      for (std::size_t t = 1; t < seen[taken].size(); ++t) {
        const auto& night = seen[taken][t];
        // A case may lack some of the new nights, but not those of the base that speak with them.
        if (std::isnan(night.beyond[i]) && t > taken) continue;
        one.steps.emplace_back(night.beyond[i], views[taken].distances[i],
                               occasion_of(taken, t - 1), night.restlessness);
      }
    }
    // What all share is told against one level; so is what each case does beyond it.
    const auto usual = common_ && known(common_->taken, i) ? common_->taken : 0;
    auto& word = cases_[i].emplace(word_of(of_case, usual));
    std::vector<double> totals;
    for (const auto& night : std::span(seen[word.taken]).subspan(word.taken + 1)) {
      if (!std::isnan(night.totals[i])) totals.push_back(night.totals[i]);
    }
    word.level = views[word.taken].levels[i];
    const auto speak = std::span<const double>(totals).last(word.new_nights);
    fill(views[word.taken].distances[i], stats::mean(speak), word);
  }
}

}  // namespace apod::judge
