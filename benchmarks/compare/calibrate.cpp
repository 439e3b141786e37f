#include "benchmarks/compare/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "benchmarks/compare/day_spreads.hpp"
#include "benchmarks/compare/environment_changes.hpp"
#include "benchmarks/compare/file_estimate.hpp"
#include "benchmarks/compare/judge.hpp"
#include "benchmarks/model/estimator.hpp"
#include "benchmarks/stats/means.hpp"
#include "benchmarks/stats/moderated_variance.hpp"

namespace apod::compare {
namespace {

// With fewer sessions chance makes alike what is not, and all cases share what they met.
constexpr double fewest_degrees_for_prior = 4;

// A share. With two noisy sessions the formula ends beyond any number, which no file could hold.
constexpr double largest_floor = 1000;

/// [session][process]: ln of the process's median.
using SessionLogs = std::vector<std::vector<double>>;

/// Repetitions of one process are one value.
SessionLogs logs_of(const SideCase& c, const Side& side) {
  SessionLogs logs(side.sessions.size());
  for (const auto& time : c.times) logs[time.session].push_back(std::log(time.seconds));
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (side.sessions[i].one_process && !logs[i].empty()) logs[i] = {stats::mean(logs[i])};
  }
  return logs;
}

bool is_whole(const SessionLogs& logs, std::size_t processes) {
  return std::all_of(logs.begin(), logs.end(),
                     [&](const auto& session) { return session.size() == processes; });
}

/// The most processes of a case in the first session: what was asked for, unless every case lost
/// one.
std::size_t processes_of(const Side& side) {
  std::size_t most = 0;
  for (const auto& c : side.cases) most = std::max(most, logs_of(c, side).front().size());
  return most;
}

/// Root mean square of the processes' own spreads.
double sample_deviation(const SideCase& c) {
  double sum = 0;
  for (const auto& time : c.times) sum += time.deviation * time.deviation;
  return std::sqrt(sum / static_cast<double>(c.times.size()));
}

/// The variances of a balanced one-way random-effects model, value = mean + session + process, from
/// its mean squares; a negative estimate is cut at 0 (Searle, Casella & McCulloch 1992, "Variance
/// Components", ch. 3).
CalibratedCase split(const SideCase& c, const SessionLogs& logs) {
  const auto sessions = static_cast<double>(logs.size());
  std::vector<double> means;
  double process_variance = 0;
  for (const auto& session : logs) {
    means.push_back(stats::mean(session));
    process_variance += stats::square(stats::standard_deviation(session)) / sessions;
  }
  CalibratedCase result;
  result.name = c.name;
  result.version = c.version;
  result.time_s = estimate_time(medians_of(c)).value;
  result.sample = sample_deviation(c);
  result.process = std::sqrt(process_variance);
  result.session_mean = stats::standard_deviation(means);
  const double from_processes = process_variance / static_cast<double>(logs.front().size());
  result.session = std::sqrt(std::max(0.0, stats::square(result.session_mean) - from_processes));
  return result;
}

/// One kind of variance of all cases, each with `degrees` of its own, moderated by one another.
std::vector<stats::VarianceEstimate> moderated_over_cases(const Calibration& calibration,
                                                          double CalibratedCase::*deviation,
                                                          double degrees) {
  std::vector<stats::VarianceEstimate> variances;
  variances.reserve(calibration.cases.size());
  for (const auto& c : calibration.cases) {
    variances.push_back({stats::square(c.*deviation), degrees});
  }
  return moderated_together(std::move(variances), degrees < fewest_degrees_for_prior ? 0 : 1);
}

std::vector<stats::VarianceEstimate> session_means(const Calibration& calibration) {
  return moderated_over_cases(calibration, &CalibratedCase::session_mean, calibration.sessions - 1);
}

void set_floors(Calibration& calibration) {
  const auto means = session_means(calibration);
  const double each = calibration.alpha / static_cast<double>(calibration.cases.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double error = std::sqrt(2 * means[i].variance);
    const double change = as_share(detectable_change(error, means[i].degrees, each, 0));
    calibration.cases[i].floor = std::min(change, largest_floor);
  }
}

/// How far out the sessions lie, each judged by those before it.
stats::Tails tails_of(const Side& side) {
  Days sessions;
  sessions.count = side.sessions.size();
  for (std::size_t i = 0; i < sessions.count; ++i) {
    sessions.of_session.push_back(static_cast<std::uint32_t>(i));
  }
  std::vector<SideLogs> logs;
  std::vector<const SideLogs*> cases;
  std::vector<stats::VarianceEstimate> within;
  logs.reserve(side.cases.size());
  for (const auto& c : side.cases) {
    if (c.times.empty()) continue;
    logs.emplace_back(c, side, sessions);
    within.push_back(logs.back().own);
  }
  for (const auto& one : logs) cases.push_back(&one);
  for (const auto& known : day_spreads(cases, within).cases) {
    if (known.processes > 0) return known.tails;
  }
  return {0, 0};
}

/// Different GPUs, or hosts where no GPU is recorded; 0 where neither is.
int boards_of(const Side& side) {
  for (const char* key : {"gpu_uuid", "host"}) {
    std::set<std::string> values;
    for (const auto& session : side.sessions) {
      const auto found = session.environment.find(key);
      if (found != session.environment.end() && !found->second.empty())
        values.insert(found->second);
    }
    if (!values.empty()) return static_cast<int>(values.size());
  }
  return 0;
}

std::string property(const SideSession& session, const std::string& key) {
  const auto found = session.environment.find(key);
  return found == session.environment.end() ? "" : found->second;
}

}  // namespace

Calibration calibrate(const Side& side, double alpha) {
  if (side.sessions.size() < 2) {
    throw NothingToCalibrate("one session shows no difference between sessions");
  }
  Calibration calibration;
  const auto& first = side.sessions.front();
  calibration.date = property(first, "date");
  calibration.config = property(first, "config");
  calibration.commit = property(first, "commit");
  calibration.alpha = alpha;
  calibration.sessions = static_cast<int>(side.sessions.size());
  for (const auto& [key, value] : first.environment) {
    if (is_decisive(key)) calibration.environment[key] = value;
  }
  // JSON has no infinity.
  constexpr double normal_degrees = 1e6;
  const auto tails = tails_of(side);
  calibration.tail_scale = tails.scale;
  calibration.tail_degrees = std::min(tails.degrees, normal_degrees);
  const auto days = days_of(side);
  calibration.days = days.undated == 0 ? static_cast<int>(days.count) : 0;
  calibration.boards = boards_of(side);
  const auto processes = processes_of(side);
  calibration.processes = static_cast<int>(processes);
  for (const auto& c : side.cases) {
    const auto logs = logs_of(c, side);
    if (!c.failed.empty() || !is_whole(logs, processes)) continue;
    calibration.cases.push_back(split(c, logs));
  }
  if (calibration.cases.empty() || processes == 0) {
    throw NothingToCalibrate("no case was measured by equally many processes in every session");
  }
  set_floors(calibration);
  return calibration;
}

std::vector<KnownSpread> known_spreads(const Calibration& calibration) {
  const auto means = session_means(calibration);
  const auto within =
      moderated_over_cases(calibration, &CalibratedCase::process,
                           calibration.sessions * static_cast<double>(calibration.processes - 1));
  const bool known = calibration.tail_scale > 0 && calibration.tail_degrees > 0;
  const auto tails = known ? stats::Tails{calibration.tail_scale, calibration.tail_degrees}
                           : stats::Tails{1, cautious_tail_degrees};
  std::vector<KnownSpread> spreads;
  spreads.reserve(means.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    // One process a session has no spread of its own: the sessions hold it.
    const auto own = within[i].degrees > 0 ? within[i] : stats::VarianceEstimate{0, 1};
    spreads.push_back({means[i].variance, means[i].degrees, own.variance, own.degrees,
                       static_cast<double>(calibration.processes), tails,
                       calibration.days<2, calibration.boards> 1});
  }
  return spreads;
}

}  // namespace apod::compare
