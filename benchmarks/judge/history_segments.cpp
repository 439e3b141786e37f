#include "benchmarks/judge/history_segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benchmarks/base/os/in_parallel.hpp"
#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/judge/causes.hpp"
#include "benchmarks/judge/environment_changes.hpp"
#include "benchmarks/judge/history_order.hpp"
#include "benchmarks/judge/levels.hpp"
#include "benchmarks/judge/machines.hpp"
#include "benchmarks/judge/other_processes.hpp"
#include "benchmarks/judge/recordings.hpp"
#include "benchmarks/judge/sessions.hpp"
#include "benchmarks/judge/side_logs.hpp"
#include "benchmarks/judge/side_text.hpp"

namespace apod::judge {
namespace {

/// "3 of 8 cases", "1 of 1 case".
std::string share_of(std::size_t cases, const History& history) {
  return fmt::format("{} of {}", cases, text::counted(history.cases.size(), "case"));
}

/// With fewer runs an epoch shows no change: two before it and two after.
constexpr std::size_t fewest_runs = 4;

/// Runs of the longest epoch that have a time.
std::size_t longest_epoch(const CaseHistory& history) {
  std::map<std::size_t, std::size_t> lengths;
  std::size_t longest = 0;
  for (const auto& point : history.points) {
    if (!point.failed.empty()) continue;
    longest = std::max(longest, ++lengths[history.segments[point.segment].epoch]);
  }
  return longest;
}

/// Says which cases the last run lacks, steps that look like another unit, and of how many cases
/// "no change" means nothing, as where two machines take turns.
void note_cases(History& history, const std::string& last_run) {
  const auto say = [&](const std::vector<const CaseHistory*>& cases, const char* what) {
    if (cases.empty()) return;
    history.notes.push_back(fmt::format("{} (the first: {}){}", share_of(cases.size(), history),
                                        cases.front()->name, what));
  };
  std::vector<const CaseHistory*> gone;
  std::vector<const CaseHistory*> rare;
  std::vector<const CaseHistory*> other_unit;
  std::vector<const CaseHistory*> is_short;
  for (const auto& c : history.cases) {
    if (c.points.back().file.str() != last_run) {
      gone.push_back(&c);
    } else if (c.points.size() < history.runs) {
      rare.push_back(&c);
    }
    const auto is_huge = [](const HistorySegment& segment) {
      return segment.change && std::abs(std::log1p(*segment.change)) > std::log(500);
    };
    if (std::ranges::any_of(c.segments, is_huge)) other_unit.push_back(&c);
    if (longest_epoch(c) < fewest_runs) is_short.push_back(&c);
  }
  say(is_short,
      " can't show a change yet: a change needs two runs before and two runs after, with the same "
      "kind of machine and the same settings");
  say(gone, ": missing in the last run");
  say(rare, ": missing in some runs");
  say(other_unit, ": changed by more than a factor of 500: perhaps the unit changed");
}

/// Runs in which most cases changed alike, which one case's code rarely does: counted once, and not
/// as a change of each case.
void tell_shared_changes(History& history) {
  const auto drifts =
      std::ranges::count_if(history.cases, [](const auto& c) { return c.drift() != nullptr; });
  if (drifts > 2 && 2 * static_cast<std::size_t>(drifts) > history.cases.size()) {
    history.notes.push_back(fmt::format(
        "{} of {} cases drift: the cause is the machine, or a change that affects all cases",
        drifts, history.cases.size()));
  }
  struct Run {
    const HistoryPoint* point = nullptr;
    std::size_t cases = 0;
    std::vector<HistorySegment*> changes;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Run> runs;
  for (auto& c : history.cases) {
    std::vector<bool> begun(c.segments.size());
    for (const auto& point : c.points) {
      if (!point.failed.empty()) continue;
      auto& run = runs[{point.date.str(), point.file.str(), point.commit.str()}];
      run.point = &point;
      ++run.cases;
      const bool begins = !begun.at(point.segment);
      begun[point.segment] = true;
      auto& segment = c.segments.at(point.segment);
      if (begins && segment.is_step()) run.changes.push_back(&segment);
    }
  }
  constexpr std::size_t fewest = 5;
  constexpr std::size_t most_named = 3;
  const auto size = [](const HistorySegment* segment) { return std::log1p(*segment->change); };
  std::vector<std::string> told;
  for (auto& [key, run] : runs) {
    std::vector<double> sizes;
    for (const auto* segment : run.changes) sizes.push_back(size(segment));
    if (sizes.empty()) continue;
    const double middle = stats::median(sizes);
    // Alike: to the same side, and by half of the usual step to twice that.
    std::erase_if(run.changes, [&](const auto* segment) {
      const double ratio = size(segment) / middle;
      return !(ratio > 0.5 && ratio < 2);
    });
    if (run.changes.size() < fewest || 2 * run.changes.size() <= run.cases) continue;
    std::vector<double> changes;
    for (auto* segment : run.changes) {
      changes.push_back(*segment->change);
      segment->together = run.changes.size();
    }
    const auto& date = run.point->date.str();
    told.push_back(
        fmt::format("{} of {} cases changed together in the run of {}, by {}: the cause "
                    "is the machine, or a change that affects all cases",
                    run.changes.size(), run.cases, date.empty() ? run.point->file.str() : date,
                    changes_text(changes)));
  }
  for (std::size_t i = 0; i < std::min(told.size(), most_named); ++i)
    history.notes.push_back(told[told.size() - 1 - i]);
  if (told.size() > most_named) {
    const auto more = told.size() - most_named;
    history.notes.push_back(fmt::format("cases also changed together in {} before these runs",
                                        text::counted(more, "run")));
  }
}

/// A case in one run.
struct Occurrence {
  const Side* run = nullptr;
  const SideCase* info = nullptr;
  const SideSession* kind = nullptr;  ///< of its machine: what its runs record of it
  std::size_t point = 0;              ///< index into CaseHistory::points
  std::vector<double> logs;           ///< ln of its processes' times
};

/// Where hosts are alike no kind has one.
std::string difference_of(const SideSession& kind, const SideSession& other) {
  return machine_difference(kind, other, Hosts::apart);
}

/// The kinds of machines, each with all that its runs record of it: what one of them does not name
/// is still known.
class Kinds {
 public:
  explicit Kinds(Hosts hosts) : hosts_(hosts) {}

  const SideSession* of(SideSession session) {
    if (hosts_ == Hosts::alike) session.environment.erase("host");
    SideSession* first = nullptr;
    std::size_t fitting = 0;
    for (auto& known : kinds_) {
      if (!difference_of(known, session).empty()) continue;
      if (fitting++ == 0) first = &known;
    }
    if (first == nullptr) return &kinds_.emplace_back(session);
    // A run that names too little to tell the kinds apart adds nothing to one of them.
    if (fitting == 1)
      first->environment.insert(session.environment.begin(), session.environment.end());
    return first;
  }

 private:
  Hosts hosts_;
  std::deque<SideSession> kinds_;
};

HistoryPoint point_of(const Side& run, const SideCase& info, std::span<const double> logs) {
  HistoryPoint point;
  point.file = file_of(run);
  point.date = property(run.sessions.front(), "date");
  point.commit = property(run.sessions.front(), "commit");
  point.processes = info.times.size();
  if (info.times.empty()) {
    point.failed = info.failed.empty() ? "no time" : info.failed;
    return point;
  }
  if (run.sessions.front().one_process) {
    // Repetitions say nothing of how far apart processes are.
    point.time_s = {std::exp(logs.front())};
    point.processes = 1;
  } else {
    point.time_s = estimate_time(medians_of(run, info));
  }
  return point;
}

/// What else must be equal for times on one kind of machine to be comparable, as it was last
/// recorded.
class Conditions {
 public:
  /// Takes in those of the next run. Returns how they differ; empty where they don't.
  std::string update(const Occurrence& next) {
    differences_.clear();
    take("build_type", property(next.run->sessions.front(), "build_type"));
    for (const auto& [axis, value] : next.info->params) take(axis, value);
    take("measured as", next.info->version);
    return std::exchange(differences_, "");
  }

 private:
  void take(const std::string& key, const std::string& value) {
    if (value.empty()) return;  // what is not recorded decides nothing
    auto& known = known_[key];
    if (!known.empty() && known != value) {
      differences_ += fmt::format("{}{} {}", differences_.empty() ? "" : ", ", key,
                                  difference_of_ways(known, value));
    }
    known = value;
  }

  std::map<std::string, std::string> known_;
  std::string differences_;
};

/// Standard error of the mean of a run's ln times, by the spread between processes in the
/// middlemost run: one process that met a loaded machine must not hide the steps of a whole
/// history. 0 where no run has two processes. That of the median is up to a quarter larger, which
/// the differences between runs show.
double within_run_error(std::span<const Occurrence> runs) {
  std::vector<double> variances;
  double inverse_counts = 0;
  for (const auto& run : runs) {
    const auto count = static_cast<double>(run.logs.size());
    inverse_counts += 1 / count;
    if (run.logs.size() < 2) continue;
    const double deviation = stats::standard_deviation(run.logs);
    variances.push_back(mean_by_median(deviation * deviation, count - 1));
  }
  if (variances.empty()) return 0;
  return std::sqrt(stats::median(variances) * inverse_counts / static_cast<double>(runs.size()));
}

/// What differs. Facts that were not recorded are left to a comparison of the two files: a trend
/// would list them at every change.
std::vector<Cause> causes_between(const Occurrence& before, const Occurrence& after) {
  auto changes = environment_changes(*before.run, *after.run);
  const CasePair pair(before.info, after.info);
  const auto load = OtherProcesses(*before.run, *after.run).changes({&pair, 1});
  changes.insert(changes.end(), load.begin(), load.end());
  auto causes = causes_of(*before.info, *after.info, changes);
  std::erase_if(causes, [](const Cause& cause) { return cause.fact == "unknown"; });
  return causes;
}

/// The runs of one case that have a time: each kind of machine by itself, cut into epochs and these
/// into segments.
class Segmenter {
 public:
  Segmenter(CaseHistory& history, std::span<const Occurrence> measured)
      : history_(history), measured_(measured) {}

  void cut() {
    std::vector<std::vector<std::size_t>> machines;  // indices of their runs
    std::vector<const SideSession*> kinds;
    for (std::size_t i = 0; i < measured_.size(); ++i) {
      const auto known = std::ranges::find(kinds, measured_[i].kind);
      const auto at = static_cast<std::size_t>(known - kinds.begin());
      if (known == kinds.end()) {
        kinds.push_back(measured_[i].kind);
        machines.emplace_back();
      }
      machines[at].push_back(i);
    }
    for (machine_ = 0; machine_ < machines.size(); ++machine_) cut(machines[machine_]);
    sort_by_time();
  }

 private:
  void cut(const std::vector<std::size_t>& runs) {
    const auto first = runs.front();
    // The step to another machine's first run is reported there.
    std::string difference =
        first == 0 ? "" : difference_of(*measured_[first - 1].kind, *measured_[first].kind);
    Conditions conditions;
    std::vector<Occurrence> epoch;
    for (const auto i : runs) {
      auto next = conditions.update(measured_[i]);
      if (!next.empty()) {
        add_epoch(epoch, difference);
        difference = std::move(next);
        epoch.clear();
      }
      epoch.push_back(measured_[i]);
    }
    add_epoch(epoch, difference);
  }

  void add_epoch(std::span<const Occurrence> runs, const std::string& difference) {
    std::vector<double> middles;
    for (const auto& run : runs) middles.push_back(stats::median(run.logs));
    auto [levels, outliers, bounds, drift] =
        levels_in_time(std::move(middles), within_run_error(runs));
    for (const auto i : outliers) history_.points[runs[i].point].outlier = true;
    bounds.insert(bounds.begin(), 0);
    bounds.push_back(levels.size());
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      const auto length = bounds[i + 1] - bounds[i];
      add_segment(runs.subspan(bounds[i], length), std::span(levels).subspan(bounds[i], length),
                  i + 2 == bounds.size() ? drift : std::nullopt);
      auto& segment = history_.segments.back();
      if (i == 0) {
        segment.epoch_difference = difference;
      } else {
        segment.causes = causes_between(runs[bounds[i] - 1], runs[bounds[i]]);
      }
    }
    ++epoch_;
  }

  void add_segment(std::span<const Occurrence> runs, std::span<const double> levels,
                   const std::optional<stats::Drift>& drift) {
    HistorySegment segment;
    segment.epoch = epoch_;
    segment.machine = machine_;
    auto first = levels;  // those that the segment before is compared with
    auto last = levels;
    if (drift) {
      const auto fifth = (drift->values + 4) / 5;
      segment.drift = {drift->values, std::expm1(drift->change)};
      first = levels.first(std::max(levels.size() - drift->values, fifth));
      last = levels.last(fifth);
    }
    segment.level_s = std::exp(stats::mean(last));
    if (!history_.segments.empty())
      segment.change = std::exp(stats::mean(first)) / history_.segments.back().level_s - 1;
    for (const auto& run : runs) history_.points[run.point].segment = history_.segments.size();
    history_.segments.push_back(std::move(segment));
  }

  /// Segments in the order in which they begin; the first of a machine has its step from the run
  /// before it.
  void sort_by_time() {
    std::vector<std::size_t> order;
    std::vector<std::size_t> place(history_.segments.size(), history_.segments.size());
    const HistorySegment* before = nullptr;
    std::set<std::size_t> machines;
    for (const auto& run : measured_) {
      auto& at = place[history_.points[run.point].segment];
      auto& segment = history_.segments[history_.points[run.point].segment];
      if (at == place.size()) {
        at = order.size();
        order.push_back(history_.points[run.point].segment);
        if (machines.insert(segment.machine).second && before != nullptr)
          segment.change = segment.level_s / before->level_s - 1;
      }
      before = &segment;
    }
    std::vector<HistorySegment> sorted;
    for (const auto i : order) sorted.push_back(std::move(history_.segments[i]));
    history_.segments = std::move(sorted);
    for (const auto& run : measured_) {
      auto& segment = history_.points[run.point].segment;
      segment = place[segment];
    }
  }

  CaseHistory& history_;
  std::span<const Occurrence> measured_;
  std::size_t epoch_ = 0;
  std::size_t machine_ = 0;
};

CaseHistory case_history(std::vector<Occurrence> occurrences) {
  CaseHistory history;
  history.name = occurrences.front().info->name;
  std::vector<Occurrence> measured;
  for (auto& one : occurrences) {
    for (const auto& time : one.info->times) one.logs.push_back(std::log(time.seconds));
    if (one.run->sessions.front().one_process && !one.logs.empty())
      one.logs = {stats::median(one.logs)};
    one.point = history.points.size();
    history.points.push_back(point_of(*one.run, *one.info, one.logs));
    if (!one.logs.empty()) measured.push_back(std::move(one));
  }
  Segmenter(history, measured).cut();
  return history;
}

/// A step of the machine is no change, but the bars show it: says what it is.
void note_epochs(History& history) {
  constexpr std::size_t most_told = 5;
  std::vector<std::pair<std::string, std::vector<double>>> steps;  // where and why, by how much
  for (const auto& c : history.cases) {
    for (std::size_t i = 1; i < c.segments.size(); ++i) {
      const auto& segment = c.segments[i];
      if (segment.epoch_difference.empty()) continue;
      const auto first = std::ranges::find_if(
          c.points, [&](const auto& point) { return point.failed.empty() && point.segment == i; });
      const auto why = first->file.str() + ": " + segment.epoch_difference;
      auto step =
          std::ranges::find_if(steps, [&](const auto& known) { return known.first == why; });
      if (step == steps.end()) step = steps.insert(step, {why, {}});
      step->second.push_back(*segment.change);
    }
  }
  for (std::size_t i = 0; i < std::min(steps.size(), most_told); ++i) {
    const auto& [why, changes] = steps[i];
    history.notes.push_back(
        fmt::format("{}: a new series begins in {}; the step of {} is not a change of the code",
                    why, share_of(changes.size(), history), changes_text(changes)));
  }
  if (steps.size() > most_told) {
    history.notes.push_back(fmt::format(
        "more new series: {}; their steps are not changes of the code", steps.size() - most_told));
  }
}

}  // namespace

History history_of(std::vector<Side> runs) {
  for (const auto& run : runs) {
    if (run.sessions.size() != 1) throw std::invalid_argument("history_of: a run must be one file");
  }
  History history;
  history.notes = keep_comparable(runs);
  sort_by_time(runs, history.notes);
  history.runs = runs.size();
  std::vector<const Side*> sides;
  for (const auto& run : runs) sides.push_back(&run);
  std::unordered_map<std::string_view, std::size_t> index;
  std::vector<std::vector<Occurrence>> occurrences;
  std::vector<SideSession> sessions;
  Kinds kinds(hosts_of(sides));
  for (const auto& run : runs) {
    sessions.push_back(run.sessions.front());
    const auto* kind = kinds.of(run.sessions.front());
    for (const auto& c : run.cases) {
      const auto [found, is_new] = index.try_emplace(c.name, occurrences.size());
      if (is_new) occurrences.emplace_back();
      occurrences[found->second].push_back({&run, &c, kind, 0, {}});
    }
  }
  std::vector<RunsOfCase> runs_of_cases;
  std::vector<CasePair> pairs;
  for (const auto& of_case : occurrences) {
    for (const auto& one : of_case) pairs.emplace_back(of_case.front().info, one.info);
    auto& one = runs_of_cases.emplace_back(RunsOfCase{of_case.front().info->name, {}});
    for (const auto& occurrence : of_case) one.runs.push_back(occurrence.run);
  }
  for (const auto& notes : {notes_of_files(sides), phase_notes(pairs)})
    history.notes.insert(history.notes.end(), notes.begin(), notes.end());
  note_gaps(sides, runs_of_cases, history.notes);
  history.cases.resize(occurrences.size());
  const auto cut = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      history.cases[i] = case_history(std::move(occurrences[i]));
  };
  constexpr std::size_t many_runs = 200;
  os::in_halves(occurrences.size(), cut, runs.size() > many_runs ? 2 : 1000);
  history.environment = properties_of(sessions);
  note_epochs(history);
  tell_shared_changes(history);
  if (!runs.empty()) note_cases(history, file_of(runs.back()));
  return history;
}

}  // namespace apod::judge
