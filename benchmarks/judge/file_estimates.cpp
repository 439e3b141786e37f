#include "benchmarks/judge/file_estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/base/os/in_parallel.hpp"
#include "benchmarks/base/stats/t_tests.hpp"
#include "benchmarks/judge/day_spreads.hpp"
#include "benchmarks/judge/levels.hpp"

namespace apod::judge {
namespace {

using stats::VarianceEstimate;

/// A shift with a smaller p is more than what sessions of the base share.
constexpr double level_of_the_unusual = 0.05;

std::vector<SideLogs> logs_of(std::span<const CasePair> pairs, const SideCase* CasePair::*which,
                              const Side& side, const Days& days) {
  std::vector<SideLogs> logs;
  logs.reserve(pairs.size());
  for (const auto& pair : pairs) logs.emplace_back(*(pair.*which), side, days);
  return logs;
}

/// Between the processes of a session. All cases are measured by the same processes, so that they
/// weigh no more than the case itself.
std::vector<VarianceEstimate> process_variances(const std::vector<SideLogs>& logs) {
  std::vector<VarianceEstimate> variances;
  variances.reserve(logs.size());
  for (const auto& one : logs) variances.push_back(one.own);
  return moderated_together(std::move(variances), 1);
}

/// Whether the sides were measured on one day, without a gap.
bool is_one_day(const Side& base, const Side& new_side) {
  Side both;
  both.sessions = base.sessions;
  both.sessions.insert(both.sessions.end(), new_side.sessions.begin(), new_side.sessions.end());
  return days_of(both).count == 1;
}

/// Whether the new side is of another board or host than the base, which has only one. Of a result
/// of several machines nobody knows which of them measured a case.
bool is_other_machine(const Side& base, const Side& new_side) {
  if (!values_of(base, "machines").empty() || !values_of(new_side, "machines").empty()) return true;
  for (const char* key : {"gpu_uuid", "host"}) {
    const auto before = values_of(base, key);
    const auto after = values_of(new_side, key);
    if (before.size() == 1 && !after.empty() && after.count(*before.begin()) == 0) return true;
  }
  return false;
}

/// What all cases of a day share, out of the means of the days: a case that lacks some of them must
/// not be held against days that it has not seen.
void take_out(const std::vector<double>& shared, std::vector<SideLogs>& logs) {
  if (shared.empty()) return;
  const double middle = stats::mean(shared);
  for (auto& one : logs) {
    for (std::size_t day = 0; day < one.days.size(); ++day) {
      one.days[day].mean -= shared[day] - middle;
    }
  }
}

/// The last step of a case's days, found as `bench history` finds it.
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
  if (means.size() < fewest_days) return std::nullopt;
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

/// Whether some days of a history lie so far out that a step is likelier than noise.
bool are_wild(const std::vector<KnownSpread>& history) {
  constexpr double wide = 2;
  constexpr double heavy_degrees = 2;
  const auto known = std::find_if(history.begin(), history.end(),
                                  [](const auto& spread) { return spread.processes > 0; });
  return known != history.end() &&
         (known->tails.scale >= wide || known->tails.degrees <= heavy_degrees);
}

void note_days(const char* name, const Side& side, const Days& days,
               std::vector<std::string>& notes) {
  const auto sessions = side.sessions.size();
  if (sessions < 2) return;
  if (days.count == 1 && days.undated == 0) {
    notes.push_back(
        fmt::format("the {} files of the {} are of one day, and one observation of the machine",
                    sessions, name));
  }
  if (days.undated > 0) {
    notes.push_back(fmt::format("{} of {} files of the {} have no date: all are taken for one day",
                                days.undated, sessions, name));
  }
}

}  // namespace

FileEstimates::FileEstimates(const Side& base, const Side& new_side,
                             std::span<const CasePair> pairs, const CompareOptions& options) {
  const auto base_days = days_of(base);
  const auto new_days = days_of(new_side);
  auto [before, after] =
      os::in_parallel([&] { return logs_of(pairs, &CasePair::first, base, base_days); },
                      [&] { return logs_of(pairs, &CasePair::second, new_side, new_days); });
  const auto of_base = process_variances(before);
  const auto of_new = process_variances(after);
  steps_.resize(pairs.size());
  DaySpreads history;
  if (base_days.count >= fewest_days && !options.session_deviation) {
    std::vector<const SideLogs*> logs;
    for (const auto& one : before) logs.push_back(&one);
    os::in_halves(before.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) steps_[i] = last_step(before[i]);
    });
    history = day_spreads(logs, of_base);
    take_out(history.shared, before);
    const double weight = 1 / static_cast<double>(base_days.count) +
                          1 / static_cast<double>(std::max<std::size_t>(new_days.count, 1));
    common_ = {history.common.variance * weight, history.common.degrees};
  }
  Prior prior;
  prior.session_deviation = options.session_deviation;
  prior.other_machine = is_other_machine(base, new_side);
  prior.other_day = !is_one_day(base, new_side);
  const bool busy = !others_beside(base).empty() || !others_beside(new_side).empty();
  prior.has_suite = pairs.size() >= fewest_for_prior;
  estimates_.resize(pairs.size());
  os::in_halves(pairs.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Prior own = prior;
      own.base_processes = of_base[i];
      own.new_processes = of_new[i];
      const auto calibrated = options.known_spreads.find(pairs[i].first->name);
      if (calibrated != options.known_spreads.end()) own.calibration = &calibrated->second;
      const bool has_days = !history.cases.empty() && history.cases[i].processes > 0;
      if (has_days) own.history = &history.cases[i];
      estimates_[i] = estimate_change(before[i], after[i], own);
      estimates_[i].busy = busy;
      estimates_[i].assumes_board = own.assumes_board();
    }
  });
  const auto guessed = std::count_if(estimates_.begin(), estimates_.end(), [](const auto& e) {
    return e.session_source == SessionSource::calibration && e.assumed.variance > 0;
  });
  suite_ = Suite(estimates_);
  shift_is_usual_ = common_.degrees > 0 && suite_.speaks() &&
                    stats::p_different(shift(), 0) >= level_of_the_unusual;
  const bool boards_are_guessed = std::any_of(
      estimates_.begin(), estimates_.end(),
      [](const auto& e) { return e.assumes_board && e.session_source != SessionSource::suite; });
  if (guessed > 0) {
    notes_.push_back(fmt::format(
        "the calibration's sessions are of one day, and these files are not: {} between "
        "days (calibrate over several days)",
        suite_.speaks() ? "the cases' own differences tell what lies" : "2 % are assumed"));
  }
  if (boards_are_guessed) {
    notes_.push_back(
        fmt::format("base and new are of different machines: a spread of {:.0f} % between machines "
                    "is assumed (a calibration over several boards would tell)",
                    100 * board_deviation));
  }
  if (!history.cases.empty() && are_wild(history.cases)) {
    notes_.emplace_back(
        "the days of the base lie farther apart than chance makes them, which hides changes: bench "
        "history, with the base's files, shows whether a level changed");
  }
  note_days("base", base, base_days, notes_);
  note_days("new side", new_side, new_days, notes_);
  const bool several = base.sessions.size() > 1 && new_side.sessions.size() > 1;
  const bool has_history = !history.cases.empty();
  if (several && !has_history && lie_apart(base_days, new_days)) {
    notes_.emplace_back(
        "the sides lie apart in time: what befell the machine between them looks like the code's "
        "(measure them side by side)");
  }
}

Evidence FileEstimates::evidence(std::size_t i, std::size_t index) const {
  const auto& estimate = estimates_[i];
  const auto beyond = suite_.beyond(estimate);
  const stats::MeanEstimate total{estimate.change, beyond.standard_error, beyond.degrees};
  return {index,          total, beyond, suite_.chance_of_modes(estimate), estimate.may_convict(),
          shift_is_usual_};
}

stats::MeanEstimate FileEstimates::shift() const {
  VarianceEstimate machine{2 * stats::square(cautious_deviation), degrees_of_assumptions};
  const auto& middle = estimates_[suite_.middle()];
  if (common_.degrees > 0) {
    machine = common_;
    machine.variance *= stats::square(middle.tails.scale);
  } else if (middle.assumed.variance == 0) {
    machine = middle.known;  // which may all be shared
  }
  const double sampling = suite_.shift_variance();
  const auto all = sum_of({machine, {sampling, static_cast<double>(suite_.body())}});
  return widened(suite_.shift(), all, {1, middle.tails.degrees});
}

std::optional<CommonShift> FileEstimates::common(const CompareOptions& options) const {
  if (!suite_.speaks()) return std::nullopt;
  const auto estimate = shift();
  const auto interval = stats::t_interval(estimate);
  CommonShift common;
  common.change = as_share(estimate.mean);
  common.change_low = as_share(interval.low);
  common.change_high = as_share(interval.high);
  common.p = stats::p_different(estimate, 0);
  common.cases = suite_.body();
  const auto& middle = estimates_[suite_.middle()];
  // The cases tell what lies between them, and nothing of what they share.
  const bool is_known = middle.is_known() && middle.assumed.variance == 0;
  const bool may_convict = is_known || middle.fewest() >= fewest_processes;
  common.verdict = verdict_of(estimate, estimate, may_convict && common.p < options.alpha,
                              options.threshold, options.strict);
  return common;
}

}  // namespace apod::judge
