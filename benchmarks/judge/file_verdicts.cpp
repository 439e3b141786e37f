#include "benchmarks/judge/file_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "benchmarks/base/os/in_parallel.hpp"
#include "benchmarks/base/stats/centre.hpp"
#include "benchmarks/judge/levels.hpp"
#include "benchmarks/judge/nights.hpp"
#include "benchmarks/judge/sessions.hpp"
#include "benchmarks/judge/side_logs.hpp"

namespace apod::judge {
namespace {

/// One end of three standard deviations of a normal variable.
constexpr double three_sigma = 0.00135;
/// The same of four: a run against three or more of the same day.
constexpr double four_sigma = 3.2e-5;
/// With fewer degrees of freedom the processes of both sides tell no spread.
constexpr double fewest_degrees = 4;
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
  logs.reserve(pairs.size());
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
  return verdict;
}

/// With the spread of both sides' processes; absent where they are too few. Times are multiples of
/// the timer's tick, so the mean of times that agree has an error of tick / sqrt(12).
std::optional<stats::MeanEstimate> estimate_of(const SideLogs& base, const SideLogs& new_side) {
  if (std::min(base.processes, new_side.processes) < fewest_for_interval) return std::nullopt;
  const double degrees = base.own.degrees + new_side.own.degrees;
  if (degrees < fewest_degrees) return std::nullopt;
  const double pooled =
      (base.own.degrees * base.own.variance + new_side.own.degrees * new_side.own.variance) /
      degrees;
  const auto sum_of_shares = [](std::size_t a, std::size_t b) {
    return 1 / static_cast<double>(a) + 1 / static_cast<double>(b);
  };
  const double of_processes = std::max(pooled, stats::square(least_deviation)) *
                              sum_of_shares(base.processes, new_side.processes);
  // What the sessions of one side do, those of the other do as well.
  const double of_sessions = std::max(base.between_sessions, new_side.between_sessions) *
                             sum_of_shares(base.sessions, new_side.sessions);
  const double ticks = (stats::square(base.tick) + stats::square(new_side.tick)) / 12;
  const double variance = of_processes + of_sessions + ticks;
  return stats::MeanEstimate{new_side.mean - base.mean, std::sqrt(variance), degrees};
}

/// The same, where a calibration knows how far apart its sessions' means lie.
stats::MeanEstimate estimate_of(double change, const KnownSpread& known) {
  return {change, std::sqrt(2 * known.mean_variance) * known.scale, known.mean_degrees};
}

/// The sessions of a side in the order of their dates.
std::vector<std::uint32_t> by_date(const Side& side) {
  std::vector<std::uint32_t> order(side.sessions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return instant_of(side.sessions[a]).value_or(0) < instant_of(side.sessions[b]).value_or(0);
  });
  return order;
}

/// The means of ln time of each case, session by session.
std::vector<NightRow> rows_of(std::span<const CasePair> pairs, const SideCase* CasePair::*which,
                              const Side& side) {
  const auto order = by_date(side);
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<NightRow> rows;
  rows.reserve(pairs.size());
  std::vector<std::size_t> counts(order.size());
  for (const auto& pair : pairs) {
    auto& row = rows.emplace_back(order.size());
    std::fill(counts.begin(), counts.end(), 0);
    for (const auto& time : (pair.*which)->times) {
      row[place[time.session]] += std::log(time.seconds);
      ++counts[place[time.session]];
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = counts[i] == 0 ? std::numeric_limits<double>::quiet_NaN()
                              : row[i] / static_cast<double>(counts[i]);
    }
  }
  return rows;
}

/// Files of fewer days tell nothing of what lies between two days.
constexpr std::size_t fewest_days_of_history = 3;

Nights nights_of(const Side& base, const Side& new_side, const Days& days,
                 std::span<const CasePair> pairs) {
  if (base.sessions.size() < fewest_nights || days.count < fewest_days_of_history) return {};
  return {rows_of(pairs, &CasePair::first, base), rows_of(pairs, &CasePair::second, new_side)};
}

/// The last step of a case's days, found as `bench history` finds it.
struct BaseStep {
  std::uint32_t day = 0;  ///< the first of the new level
  double change = 0;      ///< of ln time
};

std::optional<BaseStep> last_step(const SideLogs& logs) {
  std::vector<double> means;
  std::vector<std::uint32_t> days;
  double inverse_counts = 0;
  for (std::uint32_t day = 0; day < logs.days.size(); ++day) {
    const auto& [mean, processes] = logs.days[day];
    if (processes == 0) continue;
    means.push_back(mean);
    days.push_back(day);
    inverse_counts += 1 / static_cast<double>(processes);
  }
  if (means.size() < fewest_nights) return std::nullopt;
  const double error = std::sqrt(std::max(0.0, logs.own.variance) * inverse_counts /
                                 static_cast<double>(means.size()));
  const auto levels = levels_in_time(std::move(means), error);
  if (levels.starts.empty()) return std::nullopt;
  const std::span values(levels.values);
  const auto start = levels.starts.back();
  const auto before = levels.starts.size() > 1 ? levels.starts[levels.starts.size() - 2] : 0;
  return BaseStep{days[start], stats::mean(values.subspan(start)) -
                                   stats::mean(values.subspan(before, start - before))};
}

/// A step among the days of the base that is larger than half the noise, which holds the step
/// itself: the new side is held against the level after it.
void note_steps(const std::vector<SideLogs>& base, const std::vector<FileVerdict>& verdicts,
                const Side& side, const Days& days, std::vector<std::string>& notes) {
  std::vector<double> steps;
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (verdicts[i].source != NoiseSource::nights) continue;
    const auto step = last_step(base[i]);
    if (!step || std::abs(step->change) <= verdicts[i].noise / 2) continue;
    steps.push_back(std::expm1(step->change));
    last = std::max(last, step->day);
  }
  if (steps.empty()) return;
  const auto at = std::find(days.of_session.begin(), days.of_session.end(), last);
  const auto& session = side.sessions[static_cast<std::size_t>(at - days.of_session.begin())];
  notes.push_back(fmt::format(
      "within the base the level of {} of {} cases changed, by {:+.1f} % (median), last with {} of "
      "{}: the new side is held against the last level (bench history shows each case)",
      steps.size(), base.size(), 100 * stats::median(steps), session.file,
      property(session, "date")));
}

void note_days(const char* name, const Side& side, const Days& days,
               std::vector<std::string>& notes) {
  const auto sessions = side.sessions.size();
  if (sessions < 2) return;
  if (days.undated > 0) {
    notes.push_back(fmt::format("{} of {} files of the {} have no date: all are taken for one day",
                                days.undated, sessions, name));
  }
}

/// Fills the noise and the tier of a case whose change and shift are known.
class Tiers {
 public:
  Tiers(bool other_machine, bool one_day, std::size_t base_runs, double apart)
      : other_machine_(other_machine),
        runs_convict_(one_day && base_runs >= fewest_of_a_day && !other_machine),
        apart_(apart) {}

  void judge(const NightWord& word, FileVerdict& verdict) const {
    verdict.source = NoiseSource::nights;
    verdict.noise = word.noise;
    decide(verdict, word.in_a_row >= 2,
           word.in_a_row >= 2
               ? fmt::format("{} nights in a row lie beyond the noise", word.in_a_row)
               : "");
  }

  void judge(const KnownSpread* known, FileVerdict& verdict) {
    if (other_machine_ || !verdict.estimate) {
      verdict.source = NoiseSource::cases;
      verdict.noise = noise_of_two_values + far_from_cases * apart_;
      decide(verdict, false, "");
      if (verdict.tier == Tier::suspect && !other_machine_) verdict.runs_needed = runs_for(verdict);
      return;
    }
    const auto& [mean, error, degrees] = *verdict.estimate;
    const bool knows_other_days = known != nullptr && !known->one_day;
    verdict.source = known != nullptr ? NoiseSource::calibration : NoiseSource::processes;
    verdict.noise = std::max(three_.at(degrees) * error, knows_other_days ? 0 : noise_of_two_runs);
    const double certain = std::max(four_.at(degrees) * error, noise_of_two_runs);
    const bool sure = runs_convict_ && std::abs(verdict.beyond) > certain;
    decide(verdict, sure, sure ? "so far from three runs or more of the same day" : "");
  }

 private:
  void decide(FileVerdict& verdict, bool sure, std::string why) const {
    const double distance = std::abs(verdict.beyond);
    // Where the others moved and this case did not, either may have changed.
    const bool is_own = verdict.beyond * verdict.change > 0;
    if (!(distance > verdict.noise) && !sure) return;
    if (!is_own) return;
    verdict.tier = Tier::suspect;
    if (other_machine_) return;
    if (!sure && distance >= far_out) {
      sure = true;
      why = "more than 4.5 times as far apart as what all cases share";
    }
    if (!sure) return;
    verdict.tier = Tier::sure;
    verdict.why = std::move(why);
  }

  /// The other cases' changes are differences of two runs. A third more than what is sure leaves
  /// room for what the runs will say of the change and of their spread.
  std::size_t runs_for(const FileVerdict& verdict) {
    constexpr std::size_t most = 10;
    constexpr double margin = 4.0 / 3;
    if (apart_ == 0) return 0;
    for (std::size_t runs = fewest_of_a_day; runs <= most; ++runs) {
      const auto n = static_cast<double>(runs);
      const double certain = four_.at(2 * n - 2) * apart_ / std::sqrt(n);
      if (std::abs(verdict.beyond) > margin * std::max(certain, noise_of_two_runs)) return runs;
    }
    return 0;
  }

  bool other_machine_;
  bool runs_convict_;
  double apart_;
  Quantiles three_{three_sigma};
  Quantiles four_{four_sigma};
};

}  // namespace

FileVerdicts::FileVerdicts(const Side& base, const Side& new_side, std::span<const CasePair> pairs,
                           const CompareOptions& options, bool other_machine)
    : verdicts_(pairs.size()) {
  const auto base_days = days_of(base);
  const auto new_days = days_of(new_side);
  const auto [before, after] =
      os::in_parallel([&] { return logs_of(pairs, &CasePair::first, base, base_days); },
                      [&] { return logs_of(pairs, &CasePair::second, new_side, new_days); });
  const auto nights = other_machine ? Nights() : nights_of(base, new_side, base_days, pairs);
  const auto word_of = [&](std::size_t i) {
    return nights.cases().empty() ? std::nullopt : nights.cases()[i];
  };
  std::vector<double> changes(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto& verdict = verdicts_[i] = of_processes(before[i], after[i]);
    if (const auto word = word_of(i)) {
      verdict.change = word->change;
      verdict.base_s = std::exp(word->level);
      verdict.new_s = std::exp(word->level + word->change);
      verdict.estimate = stats::MeanEstimate{word->change, word->error, word->degrees};
      verdict.replicate = Replicate::session;
      verdict.base_units = word->base_nights;
      verdict.new_units = word->new_nights;
    } else {
      const auto known = options.known_spreads.find(pairs[i].first->name);
      verdict.estimate = known == options.known_spreads.end()
                             ? estimate_of(before[i], after[i])
                             : estimate_of(verdict.change, known->second);
    }
    changes[i] = verdict.change;
  }
  const auto centre = stats::centre_of(changes);
  Tiers tiers(other_machine, are_of_one_day(base, new_side), base.sessions.size(),
              centre.deviation);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto& verdict = verdicts_[i];
    const auto word = word_of(i);
    verdict.beyond = word ? word->beyond : verdict.change - centre.value;
    if (word) {
      tiers.judge(*word, verdict);
    } else {
      const auto known = options.known_spreads.find(pairs[i].first->name);
      tiers.judge(known == options.known_spreads.end() ? nullptr : &known->second, verdict);
    }
  }
  if (centre.members > 0) {
    auto& common = common_.emplace();
    common.cases = centre.members;
    common.middle = static_cast<std::size_t>(std::min_element(changes.begin(), changes.end(),
                                                              [&](double a, double b) {
                                                                return std::abs(a - centre.value) <
                                                                       std::abs(b - centre.value);
                                                              }) -
                                             changes.begin());
    const auto& middle = verdicts_[common.middle];
    auto& verdict = common.verdict;
    verdict.change = verdict.beyond = centre.value;
    const double error = 1.2533 * centre.deviation / std::sqrt(static_cast<double>(centre.members));
    verdict.estimate = {centre.value, error, static_cast<double>(centre.members - 1)};
    // Everything moves together by more than one case's processes know of: it is another run, and
    // perhaps another day.
    if (nights.common()) {
      verdict.change = verdict.beyond = nights.common()->beyond;
      tiers.judge(*nights.common(), verdict);
    } else {
      verdict.source = middle.source;
      verdict.noise = middle.estimate ? 2 * noise_of_two_runs : noise_of_two_values;
      if (!other_machine && std::abs(verdict.change) > verdict.noise) verdict.tier = Tier::suspect;
    }
  }
  note_days("base", base, base_days, notes_);
  note_days("new side", new_side, new_days, notes_);
  if (!other_machine) note_steps(before, verdicts_, base, base_days, notes_);
}

}  // namespace apod::judge
