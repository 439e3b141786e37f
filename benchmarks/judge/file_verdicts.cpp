#include "benchmarks/judge/file_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/os/in_parallel.hpp"
#include "benchmarks/base/stats/centre.hpp"
#include "benchmarks/base/stats/t_tests.hpp"
#include "benchmarks/judge/causes.hpp"
#include "benchmarks/judge/judge.hpp"
#include "benchmarks/judge/levels.hpp"
#include "benchmarks/judge/nights.hpp"
#include "benchmarks/judge/recordings.hpp"
#include "benchmarks/judge/sessions.hpp"
#include "benchmarks/judge/side_logs.hpp"
#include "benchmarks/judge/sides_in_time.hpp"

namespace apod::judge {
namespace {

/// One end of three standard deviations of a normal variable.
constexpr double three_sigma = 0.00135;
/// Of the cases that lie beyond their noise, so many may do so by chance.
constexpr double false_discoveries = 0.1;
/// The least variance between the sessions of a day, as a share of that of a process.
constexpr double usual_likeness = 0.1;
/// The same of four: a run against three or more of the same day, which is sure beyond ...
constexpr double four_sigma = 3.2e-5;
/// ... so many times as much, because runs have longer tails than a normal variable.
constexpr double for_tails = 1.5;
/// With fewer degrees of freedom the processes of both sides tell no spread.
constexpr double fewest_degrees = 2;
constexpr std::size_t fewest_of_a_day = 3;
/// A suite whose cases lie apart from one another hides what lies this many deviations out.
constexpr double far_from_cases = 3.5;

/// Quantiles of Student's t, which take some microseconds, by degrees of freedom.
class Quantiles {
 public:
  explicit Quantiles(double tail) : tail_(tail) {}
  double at(double degrees) {
    auto& known = known_[degrees];
    if (known == 0) known = stats::t_quantile(1 - tail_, degrees);
    return known;
  }

 private:
  double tail_;
  std::map<double, double> known_;
};

std::vector<SideLogs> logs_of(std::span<const CasePair> pairs, const SideCase* CasePair::*which,
                              const Side& side, const Days& days) {
  std::vector<SideLogs> logs;
  for (const auto& pair : pairs) logs.emplace_back(*(pair.*which), side, days);
  return logs;
}

bool are_of_one_day(const Side& base, const Side& new_side) {
  Side both;
  both.sessions = base.sessions;
  both.sessions.insert(both.sessions.end(), new_side.sessions.begin(), new_side.sessions.end());
  const auto days = days_of(both);
  return days.count == 1 && days.undated == 0;
}

/// Both sides' values of a case, each of a process.
FileVerdict of_processes(const SideLogs& base, const SideLogs& new_side) {
  FileVerdict verdict;
  verdict.change = new_side.mean - base.mean;
  verdict.base_s = base.time_s;
  verdict.new_s = new_side.time_s;
  verdict.base_units = base.processes;
  verdict.new_units = new_side.processes;
  verdict.gap = std::max({0.0, new_side.least - base.most, base.least - new_side.most});
  return verdict;
}

/// The variance of a process of either side, which the values of one may tell; absent where they
/// are too few.
std::optional<stats::VarianceEstimate> variance_of(const SideLogs& base, const SideLogs& new_side) {
  if (std::max(base.processes, new_side.processes) < fewest_processes_for_interval)
    return std::nullopt;
  const double degrees = base.own.degrees + new_side.own.degrees;
  if (degrees < fewest_degrees) return std::nullopt;
  return stats::VarianceEstimate{
      (base.own.degrees * base.own.variance + new_side.own.degrees * new_side.own.variance) /
          degrees,
      degrees};
}

/// With that variance. Times are multiples of a tick, so the mean of times that agree has an error
/// of tick / sqrt(12). Degrees of freedom of the sum: Satterthwaite 1946, "An approximate
/// distribution of estimates of variance components", Biometrics Bulletin 2(6).
stats::MeanEstimate estimate_of(const SideLogs& base, const SideLogs& new_side,
                                const stats::VarianceEstimate& of_process, double usual_between = 0,
                                double likeness = 0) {
  const auto sum_of_shares = [](std::size_t a, std::size_t b) {
    return 1 / static_cast<double>(a) + 1 / static_cast<double>(b);
  };
  const double of_processes =
      of_process.variance * sum_of_shares(base.processes, new_side.processes);
  // What the sessions of one side do, those of the other do as well.
  auto between = base.between_sessions.variance > new_side.between_sessions.variance
                     ? base.between_sessions
                     : new_side.between_sessions;
  // What many cases agree on is known better than by the few sessions of one, which may agree by
  // chance although processes of one session are alike.
  const double degrees = base.between_sessions.degrees + new_side.between_sessions.degrees;
  const double least = std::max(usual_between, degrees > 0 ? likeness * of_process.variance : 0);
  if (least > between.variance || usual_between > 0)
    between = {std::max(between.variance, least), std::max(degrees, of_process.degrees)};
  const double of_sessions = between.variance * sum_of_shares(base.sessions, new_side.sessions);
  const double ticks = 2 * stats::square(tick_of(base, new_side)) / 12;
  double inverse = stats::square(of_processes) / of_process.degrees;
  if (of_sessions > 0) inverse += stats::square(of_sessions) / between.degrees;
  return {new_side.mean - base.mean, std::sqrt(of_processes + of_sessions + ticks),
          stats::square(of_processes + of_sessions) / inverse};
}

/// A few processes may agree by chance: no case is taken to be quieter than half the median case.
double least_variance(std::span<const stats::VarianceEstimate> all) {
  std::vector<double> variances;
  for (const auto& one : all) {
    if (one.degrees > 0) variances.push_back(one.variance);
  }
  const double least = stats::square(least_deviation);
  return variances.empty() ? least : std::max(least, stats::median(variances) / 4);
}

/// The variance between sessions of a day in the middlemost case; 0 with fewer than eight cases.
double usual_variance_between(const std::vector<SideLogs>& base,
                              const std::vector<SideLogs>& after) {
  constexpr std::size_t fewest_cases = 8;
  std::vector<double> variances;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const auto& [variance, degrees] =
        base[i].between_sessions.degrees > 0 ? base[i].between_sessions : after[i].between_sessions;
    if (degrees > 0) variances.push_back(mean_by_median(variance, degrees));
  }
  return variances.size() < fewest_cases ? 0 : stats::median(variances);
}

/// One end of the chance with which a case lies beyond its noise where nothing changed: that of
/// three sigma, and up to as many times more as cases lie far out, which chance explains the less
/// (Benjamini & Hochberg 1995, "Controlling the false discovery rate", J. R. Stat. Soc. B 57).
double tail_beyond(const std::vector<std::optional<stats::MeanEstimate>>& held, double shift) {
  std::vector<double> chances;
  std::size_t count = 0;
  for (const auto& one : held) {
    if (!one) continue;
    ++count;
    if (std::abs(one->mean - shift) > noise_of_two_runs)
      chances.push_back(stats::p_different(*one, shift));
  }
  std::sort(chances.begin(), chances.end());
  for (std::size_t k = chances.size(); k > 0; --k) {
    const auto cases = static_cast<double>(k);
    const double chance =
        std::min(false_discoveries * cases / static_cast<double>(count), 2 * three_sigma * cases);
    if (chances[k - 1] <= chance) return std::max(three_sigma, chance / 2);
  }
  return three_sigma;
}

/// How a case moved over the days of the base and then the new side's, as `bench history` finds it.
struct Movement {
  std::uint32_t day = 0;  ///< the first of the new level; of a drift its last
  double change = 0;      ///< of ln time
  bool is_drift = false;
};

/// `base_days`, `new_days`: the numbers of days.
std::optional<Movement> last_movement(const SideLogs& base, const SideLogs& after,
                                      std::size_t base_days, std::size_t new_days) {
  std::vector<double> means;
  std::vector<std::uint32_t> days;
  double inverse_counts = 0;
  for (const auto* logs : {&base, &after}) {
    const auto first = logs == &base ? 0 : base_days;
    const auto dated = logs == &base ? base_days : new_days;
    for (std::size_t day = 0; day < dated; ++day) {
      const auto& [mean, processes] = logs->days[day];
      if (processes == 0) continue;
      means.push_back(mean);
      days.push_back(static_cast<std::uint32_t>(first + day));
      inverse_counts += 1 / static_cast<double>(processes);
    }
  }
  if (means.size() < fewest_nights) return std::nullopt;
  const double error = std::sqrt(std::max(0.0, base.own.variance) * inverse_counts /
                                 static_cast<double>(means.size()));
  const auto levels = levels_in_time(std::move(means), error);
  if (levels.drift) return Movement{days.back(), levels.drift->change, true};
  if (levels.starts.empty()) return std::nullopt;
  const std::span values(levels.values);
  const auto start = levels.starts.back();
  const auto before = levels.starts.size() > 1 ? levels.starts[levels.starts.size() - 2] : 0;
  return Movement{
      days[start],
      stats::mean(values.subspan(start)) - stats::mean(values.subspan(before, start - before)),
      false};
}

/// What `bench history` tells of the nights of both sides, which a verdict on single nights hides.
void note_movements(const std::vector<SideLogs>& base, const std::vector<SideLogs>& after,
                    const std::vector<FileVerdict>& verdicts, const Side& side, const Days& days,
                    std::size_t new_days, std::vector<std::string>& notes) {
  std::vector<double> drifts;
  std::vector<double> within;  // steps within the base
  std::vector<double> since;   // steps to all nights of the new side
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (verdicts[i].source != NoiseSource::nights || verdicts[i].taken > 0) continue;
    const auto moved = last_movement(base[i], after[i], days.count, new_days);
    if (!moved) continue;
    const double change = std::expm1(moved->change);
    if (moved->is_drift) {
      drifts.push_back(change);
    } else if (moved->day < days.count) {
      within.push_back(change);
      last = std::max(last, moved->day);
    } else if (verdicts[i].tier == Tier::none) {
      since.push_back(change);
    }
  }
  const auto say = [&](const std::vector<double>& changes, const char* what,
                       const std::string& at) {
    if (changes.empty()) return;
    notes.push_back(
        fmt::format("in {} of {} cases, the level {}, by {}{} (bench history shows each "
                    "case)",
                    changes.size(), base.size(), what, changes_text(changes), at));
  };
  say(drifts, "drifts from night to night", "");
  say(since, "changed from the base to the new side (though each new night is within noise)", "");
  if (within.empty()) return;
  const auto at = std::find(days.of_session.begin(), days.of_session.end(), last);
  const auto& session = side.sessions[static_cast<std::size_t>(at - days.of_session.begin())];
  say(within, "changed within the base",
      fmt::format(", most recently in {} ({}): bench compares the new side with the last level",
                  session.file, property(session, "date")));
}

/// The last night of the new side speaks; says where those before it say something else.
void note_others(const Nights& nights, std::span<const CasePair> pairs,
                 std::vector<std::string>& notes) {
  std::size_t count = 0;
  std::string first;
  for (std::size_t i = 0; i < nights.cases().size(); ++i) {
    const auto& word = nights.cases()[i];
    if (word && word->other_nights > 0 && count++ == 0) first = pairs[i].first->name;
  }
  if (count == 0) return;
  notes.push_back(
      fmt::format("{} of {} cases (the first: {}) changed during the nights of the new side; only "
                  "the last night counts",
                  count, pairs.size(), first));
}

void note_days(const char* name, const Side& side, const Days& days,
               std::vector<std::string>& notes) {
  const auto sessions = side.sessions.size();
  if (sessions < 2 || days.undated == 0) return;
  notes.push_back(
      fmt::format("{} of {} files of the {} have no date, so they may be from different days",
                  days.undated, sessions, name));
}

/// Change, level and spread of what nights say, all of them against the same nights of the base.
void take(const NightWord& word, FileVerdict& verdict) {
  verdict.change = word.change;
  verdict.estimate = stats::MeanEstimate{word.change, word.error, word.degrees};
  verdict.base_s = std::exp(word.level);
  verdict.new_s = std::exp(word.level + word.change);
  verdict.replicate = Replicate::session;
  verdict.base_units = word.base_nights;
  verdict.new_units = word.new_nights;
  verdict.taken = word.taken;
}

/// Fills the noise and the tier of a case whose change is known, and what of it is its own.
class Tiers {
 public:
  /// `nothing_is_sure`: the machines may differ, and no shift of all cases tells by how much. With
  /// `one_day` three runs or more can make a case sure. Other cases lie `apart`; for `tail` see
  /// tail_beyond.
  Tiers(Machines machines, bool nothing_is_sure, bool one_day, double apart, double tail)
      : other_kind_(machines == Machines::other_kind),
        nothing_is_sure_(nothing_is_sure),
        one_day_(one_day && machines != Machines::other_kind),
        apart_(apart),
        beyond_(tail) {}

  void judge(const NightWord& word, FileVerdict& verdict) const {
    verdict.source = NoiseSource::nights;
    verdict.noise = word.noise;
    verdict.noise_of_other = word.noise_of_other;
    verdict.night_decides = !word.wild && std::abs(verdict.own()) > sure_beyond(verdict.noise);
    decide(verdict, word.sure,
           fmt::format("far beyond the noise in {} nights in a row", word.in_a_row), !word.wild);
  }

  /// `base_runs`: files of the base that have the case. `held`: its change, with the error that it
  /// is held against; absent where that is not known.
  void judge(const KnownSpread* known, const std::optional<stats::MeanEstimate>& held,
             std::size_t base_runs, FileVerdict& verdict) {
    if (other_kind_ || !held) {
      verdict.source = NoiseSource::cases;
      verdict.noise = verdict.noise_of_other =
          std::min(noise_of_two_values + far_from_cases * apart_, far_out);
      decide(verdict, false, "");
      if (verdict.tier == Tier::suspect && one_day_) verdict.runs_needed = runs_for(verdict);
      return;
    }
    const auto& [mean, error, degrees] = *held;
    const bool knows_other_days = known != nullptr && !known->one_day;
    verdict.source = known != nullptr ? NoiseSource::calibration : NoiseSource::processes;
    verdict.noise = verdict.noise_of_other =
        std::clamp(beyond_.at(degrees) * error, knows_other_days ? 0 : noise_of_two_runs, far_out);
    // One process of the new side may have met what the others did not.
    const bool sure = one_day_ && base_runs >= fewest_of_a_day &&
                      verdict.new_units >= fewest_processes_for_interval &&
                      std::abs(verdict.own()) > sure_of_a_day(*held);
    decide(verdict, sure,
           "the new time is far from every run of the base on this day (three or more runs)");
  }

 private:
  void decide(FileVerdict& verdict, bool sure, std::string why, bool may_be_sure = true) const {
    if (!(std::abs(verdict.change) > verdict.bar())) return;
    verdict.tier = Tier::suspect;
    if (nothing_is_sure_ || !may_be_sure) return;
    // One wild run of several is no change.
    const bool all_lie_there = verdict.source == NoiseSource::nights || verdict.gap > verdict.bar();
    const bool is_far = std::abs(verdict.own()) >= far_out && all_lie_there;
    if (!sure && is_far)
      why = "it changed by more than a factor of 4.5, even without the shift that all cases share";
    if (!sure && !is_far) return;
    verdict.tier = Tier::sure;
    verdict.why = std::move(why);
  }

  /// Runs of one day are sure beyond so much.
  double sure_of_a_day(const stats::MeanEstimate& estimate) {
    return std::max(for_tails * four_.at(estimate.degrees) * estimate.standard_error,
                    noise_of_two_runs);
  }

  /// A case that is singled out looks farther out than it is.
  std::size_t runs_for(const FileVerdict& verdict) {
    constexpr std::size_t most = 10;
    if (apart_ == 0) return 0;
    for (std::size_t runs = fewest_of_a_day; runs <= most; ++runs) {
      if (std::abs(verdict.own()) - apart_ > change_found(static_cast<double>(runs))) return runs;
    }
    return 0;
  }

  /// What so many runs a side find in nine of ten days, where runs differ as the other cases do:
  /// their spread, by Wilson & Hilferty (1931), and their means are both wrong.
  double change_found(double runs) {
    constexpr double ninth_decile = 1.2816;
    const double degrees = 2 * runs - 2;
    const double part = 2 / (9 * degrees);
    const double error = apart_ / std::sqrt(runs);
    const double usual = for_tails * four_.at(degrees) * error;
    const double wide = std::pow(1 - part + ninth_decile * std::sqrt(part), 1.5);
    return usual + std::hypot(usual * (wide - 1), ninth_decile * error);
  }

  bool other_kind_;
  bool nothing_is_sure_;
  bool one_day_;
  double apart_;
  Quantiles beyond_;
  Quantiles four_{four_sigma};
};

/// Of one recording: waits differ between two runs of the same program by more than its work does,
/// so they alone tell no change.
void doubt_waits(std::span<const CasePair> pairs, std::vector<FileVerdict>& verdicts) {
  std::map<std::string, double> changes;
  for (std::size_t i = 0; i < pairs.size(); ++i) changes[pairs[i].first->name] = verdicts[i].change;
  for (auto& verdict : verdicts) {
    const auto& name = pairs[static_cast<std::size_t>(&verdict - verdicts.data())].first->name;
    const bool alone = is_waiting(name) && std::abs(changes[whole_of(name)]) < far_out;
    if (alone && verdict.tier == Tier::sure) verdict.tier = Tier::suspect;
  }
}

}  // namespace

FileVerdicts::FileVerdicts(const Side& base, const Side& new_side, std::span<const CasePair> pairs,
                           const CompareOptions& options, Machines machines)
    : verdicts_(pairs.size()) {
  const bool other_kind = machines == Machines::other_kind;
  const auto base_days = days_of(base);
  const auto new_days = days_of(new_side);
  auto [before, after] =
      os::in_parallel([&] { return logs_of(pairs, &CasePair::first, base, base_days); },
                      [&] { return logs_of(pairs, &CasePair::second, new_side, new_days); });
  const double digit = finest_digit(pairs);
  for (auto* logs : {&before, &after}) {
    for (auto& one : *logs) one.tick = std::max(one.tick, digit / one.time_s);
  }
  const auto timeline = other_kind ? std::nullopt : timeline_of(base, new_side);
  const auto nights = timeline ? nights_of(before, after, *timeline, base, new_side) : Nights();
  if (timeline) notes_ = timeline->notes;
  note_others(nights, pairs, notes_);
  const auto word_of = [&](std::size_t i) {
    return nights.cases().empty() ? std::nullopt : nights.cases()[i];
  };
  const auto spread_of = [&](std::size_t i) {
    const auto known = options.known_spreads.find(pairs[i].first->name);
    return known == options.known_spreads.end() ? nullptr : &known->second;
  };
  std::vector<stats::VarianceEstimate> variances;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    variances.push_back(variance_of(before[i], after[i]).value_or(stats::VarianceEstimate{}));
  const double least = least_variance(variances);
  const double usual = usual_variance_between(before, after);
  std::vector<std::optional<stats::MeanEstimate>> held(pairs.size());
  const bool of_recordings = are_recordings(base) && are_recordings(new_side);
  std::vector<double> changes(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto& verdict = verdicts_[i] = of_processes(before[i], after[i]);
    if (const auto word = word_of(i)) {
      take(*word, verdict);
    } else if (const auto* known = spread_of(i)) {
      held[i] = verdict.estimate = {verdict.change, std::sqrt(2 * known->mean_variance),
                                    known->mean_degrees};
    } else if (auto [variance, degrees] = variances[i]; degrees > 0) {
      variance = std::max(variance, stats::square(least_deviation));
      verdict.estimate = estimate_of(before[i], after[i], {variance, degrees});
      held[i] = estimate_of(before[i], after[i], {std::max(variance, least), degrees}, usual,
                            usual_likeness);
    }
    // An operation that is launched more often does not show what the machine does, and the parts
    // of one whole are no independent cases.
    const bool shows = !launch_change(*pairs[i].first, *pairs[i].second) &&
                       (!of_recordings || is_operation(pairs[i].first->name));
    changes[i] = shows ? verdict.change : std::numeric_limits<double>::quiet_NaN();
  }
  auto centre = stats::centre_of(changes);
  const bool is_shared =
      std::abs(centre.value) > centre.deviation && why_unlike(base, new_side).empty();
  // All cases of a recording are parts of one program, and each part may have changed.
  if (nights.cases().empty() && of_recordings && !is_shared) centre = {0, centre.deviation, 0};
  // A machine that is slower as a whole shows where there are cases enough for a shift.
  const bool nothing_is_sure =
      other_kind || (machines == Machines::other_host && centre.members == 0);
  // On another kind of machine no group of cases is expected to agree.
  const double apart = other_kind ? stats::deviation_from(centre.value, changes) : centre.deviation;
  Tiers tiers(machines, nothing_is_sure, are_of_one_day(base, new_side), apart,
              tail_beyond(held, centre.value));
  std::size_t moved_along = 0;  // as far as their noise tells
  std::size_t shares = 0;       // of these, by half to twice as much
  std::size_t counted = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto& verdict = verdicts_[i];
    const auto word = word_of(i);
    verdict.beyond = word ? word->beyond : verdict.change - centre.value;
    if (word) {
      tiers.judge(*word, verdict);
    } else {
      tiers.judge(spread_of(i), held[i], before[i].sessions, verdict);
    }
    const bool counts = !std::isnan(changes[i]);
    counted += counts ? 1 : 0;
    const bool along = counts && std::abs(verdict.beyond) <= verdict.noise;
    const double share = changes[i] / centre.value;
    moved_along += along ? 1 : 0;
    shares += along && share >= 0.5 && share <= 2 ? 1 : 0;
  }
  if (of_recordings && std::min(base.sessions.size(), new_side.sessions.size()) == 1)
    doubt_waits(pairs, verdicts_);
  // Where most cases go their own ways they share nothing.
  if (centre.members > 0 && 2 * moved_along >= counted) {
    auto& common = common_.emplace();
    common.cases = shares;
    const auto from_centre = [&](double change) {
      return std::isnan(change) ? std::numeric_limits<double>::infinity()
                                : std::abs(change - centre.value);
    };
    common.middle = static_cast<std::size_t>(std::ranges::min_element(changes, {}, from_centre) -
                                             changes.begin());
    auto& verdict = common.verdict;
    if (nights.common()) {
      take(*nights.common(), verdict);
      verdict.beyond = verdict.change;
      tiers.judge(*nights.common(), verdict);
    } else {
      const auto& middle = verdicts_[common.middle];
      const double error =
          1.2533 * centre.deviation / std::sqrt(static_cast<double>(centre.members));
      verdict.change = verdict.beyond = centre.value;
      verdict.estimate = {centre.value, error, static_cast<double>(centre.members - 1)};
      verdict.source = middle.source;
      // Everything moves together by more than one case's processes know of: it is another run, and
      // perhaps another day.
      verdict.noise = middle.estimate ? 2 * noise_of_two_runs : noise_of_two_values;
      if (!other_kind && std::abs(verdict.change) > verdict.bar()) verdict.tier = Tier::suspect;
    }
  }
  if (!timeline) note_days("base", base, base_days, notes_);
  note_days("new side", new_side, new_days, notes_);
  const bool is_older = new_days.last && base_days.last && *new_days.last < *base_days.last;
  if (is_older && !timeline) {
    notes_.emplace_back(
        "the new side is older than the last run of the base: check the order of the two sides");
  } else if (timeline && timeline->base.size() == base.sessions.size()) {
    note_movements(before, after, verdicts_, base, base_days, new_days.count, notes_);
  }
}

}  // namespace apod::judge
