#include "benchmarks/judge/nights.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

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
constexpr double deviation_of_quartile = 0.87;  // upper quartile of distances to the same
constexpr double of_rare_nights = 0.336;        // ln 1.4
constexpr double most_noise = 0.5;              // ln 1.65
/// Shares of nights that lie beyond the noise, and beyond where it is cut.
constexpr double rare = 0.005;
constexpr double uncommon = 0.017;
/// Cases on either side, in the order of their spread, that are taken to be like one.
constexpr std::size_t alike_a_side = 4;
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

/// Keeps of all distances those that are asked for.
void cut(Distances::Tail& tail) {
  tail.all = static_cast<double>(tail.farthest.size());
  const auto kept = static_cast<std::size_t>(uncommon * tail.all) + own_weight + 1;
  std::ranges::sort(tail.farthest, std::greater());
  tail.farthest.resize(std::min(tail.farthest.size(), kept));
  tail.farthest.shrink_to_fit();
}

/// Of the first `nights` of every case.
std::vector<Distances> distances_of(const std::vector<NightRow>& surprises, std::size_t nights) {
  std::vector<Distances> cases;
  std::vector<std::size_t> order;
  for (const auto& row : surprises) {
    std::vector<double> sizes;
    for (const double one : std::span(row).first(nights)) {
      if (!std::isnan(one)) sizes.push_back(std::abs(one));
    }
    auto& result = cases.emplace_back();
    order.push_back(order.size());
    result.count = sizes.size();
    result.beyond_most = static_cast<std::size_t>(
        std::ranges::count_if(sizes, [](double size) { return size > most_noise; }));
    if (sizes.size() > 1)
      result.deviation = std::max(least_deviation, deviation_of_median * stats::median(sizes));
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return cases[i].deviation; });
  const std::size_t width = std::min(2 * alike_a_side + 1, order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto first = std::min(place - std::min(place, alike_a_side), order.size() - width);
    auto& slow = cases[order[place]].slow;
    auto& both = cases[order[place]].both;
    for (const auto i : std::span(order).subspan(first, width)) {
      for (const double one : std::span(surprises[i]).first(nights)) {
        if (std::isnan(one)) continue;
        const std::size_t times = i == order[place] ? own_weight : 1;
        slow.farthest.insert(slow.farthest.end(), times, std::max(0.0, one));
        both.farthest.insert(both.farthest.end(), times, std::abs(one));
      }
    }
    cut(slow);
    cut(both);
  }
  return cases;
}

/// Distances of all cases on one night, and how restless it was.
struct Night {
  std::vector<double> totals;  ///< from the level
  std::vector<double> beyond;  ///< the same without what all share
  double shift = 0;
  Restlessness restlessness;
};

/// The base as of some night: what it expects, and how far it is used to be wrong.
class AsOf {
 public:
  AsOf(const NightRows& base, const std::vector<NightRow>& expected_by,
       std::span<const double> ticks, std::size_t nights)
      : end(nights), distances(distances_of(expected_by, nights)) {
    for (std::size_t i = 0; i < ticks.size(); ++i) distances[i].tick = ticks[i];
    for (const auto& row : base.cases) levels.push_back(level_before(row, nights));
  }

  /// The cases' values of a night, against this.
  Night night(const std::vector<NightRow>& rows, std::size_t t) const {
    Night night;
    for (std::size_t i = 0; i < rows.size(); ++i) night.totals.push_back(rows[i][t] - levels[i]);
    const auto centre = stats::centre_of(night.totals);
    night.shift = centre.value;
    // Half of a suite may have changed: it says nothing of how restless the rest was.
    const double farthest = std::max(stats::farthest_member * centre.deviation, least_deviation);
    night.beyond = night.totals;
    std::vector<double> near;
    std::vector<double> unchanged;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double size = std::abs(night.beyond[i] -= night.shift);
      if (!(distances[i].deviation > 0)) continue;
      if (size <= farthest) near.push_back(size / distances[i].deviation);
      if (size <= of_rare_nights) unchanged.push_back(size / distances[i].deviation);
    }
    auto& [median, upper_quartile] = night.restlessness;
    if (near.size() >= fewest_for_restlessness)
      median = std::max(1.0, deviation_of_median * stats::median(near));
    if (unchanged.size() >= fewest_for_restlessness)
      upper_quartile = std::max(1.0, deviation_of_quartile * stats::quantile(unchanged, 0.75));
    return night;
  }

  std::size_t end;
  std::vector<Distances> distances;
  std::vector<double> levels;
};

/// A night of one case: its distance, and the noise there.
struct Step {
  double beyond;
  double noise;
  double noise_of_other;
  std::uint32_t occasion;
};

/// The nights of a case, or of the shift, as they are seen with some of the base's taken for the
/// new side's.
struct Seen {
  double before = 0;        ///< how far the night before them is beyond
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

double Distances::Tail::at(double share, std::size_t places) const {
  const auto place = std::max(places, static_cast<std::size_t>(share * all));
  return place < farthest.size() ? farthest[place] : 0;
}

double noise_of_nights(const Distances& distances, bool slower, const Restlessness& night) {
  const auto& tail = slower ? distances.slow : distances.both;
  const auto count = static_cast<double>(std::max<std::size_t>(distances.count, 1));
  const double s = distances.deviation * (1 + 2 / std::sqrt(count));
  const double noise = std::max(10 * s, tail.at(rare, 0) + 2 * s);
  const double usual = std::max(3 * s, tail.at(uncommon / night.upper_quartile, own_weight));
  const double cut = std::max(of_rare_nights, std::min(usual, most_noise));
  return std::max(2 * distances.tick, std::max(1.0, night.median / 2) * std::min(noise, cut));
}

double sure_beyond(double noise) {
  return std::min(2 * noise, most_noise);
}

Nights::Nights(const NightRows& base, const NightRows& new_side, std::span<const double> ticks)
    : cases_(base.cases.size()) {
  const auto& rows = base.cases;
  const auto& after = new_side.cases;
  const std::size_t nights = base.occasions.size();
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
    for (std::size_t t = view.end - 1; t < nights; ++t) all.push_back(view.night(rows, t));
    for (std::size_t t = 0; t < new_side.occasions.size(); ++t) all.push_back(view.night(after, t));
  }
  const auto see = [&](std::size_t taken, const Distances& distances, const auto& value_of) {
    Seen one{value_of(seen[taken].front()), {}};
    for (std::size_t t = 1; t < seen[taken].size(); ++t) {
      const auto& night = seen[taken][t];
      const double beyond = value_of(night);
      // A case may lack some of the new nights, but not those of the base that speak with them.
      if (std::isnan(beyond) && t > taken) continue;
      const auto noise = [&](bool slower) {
        return noise_of_nights(distances, slower, night.restlessness);
      };
      one.steps.push_back(
          {beyond, noise(beyond > 0), noise(!(beyond > 0)), occasion_of(taken, t - 1)});
    }
    return one;
  };
  const auto count = std::ranges::count(views.front().levels, false,
                                        [](double level) { return std::isnan(level); });
  if (!std::isnan(shifts.back()) && count >= 3) {
    std::vector<Distances> of_shift;
    std::vector<Seen> nights_of_shift;
    for (std::size_t taken = 0; taken < views.size(); ++taken) {
      of_shift.push_back(distances_of({shifts}, views[taken].end).front());
      nights_of_shift.push_back(
          see(taken, of_shift.back(), [](const Night& night) { return night.shift; }));
    }
    common_ = word_of(nights_of_shift, 0);
    fill(of_shift[common_->taken], common_->beyond, *common_);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::isnan(views.front().levels[i])) continue;
    std::vector<Seen> of_case;
    for (std::size_t taken = 0; taken < views.size(); ++taken) {
      of_case.push_back(see(taken, views[taken].distances[i],
                            [i](const Night& night) { return night.beyond[i]; }));
    }
    // What all share is told against one level; so is what each case does beyond it.
    const auto usual = common_ && !std::isnan(views[common_->taken].levels[i]) ? common_->taken : 0;
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
