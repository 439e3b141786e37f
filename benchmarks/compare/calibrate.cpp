#include "benchmarks/compare/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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

SessionLogs logs_of(const SideCase& c, std::size_t sessions) {
  SessionLogs logs(sessions);
  for (const auto& time : c.times) logs[time.session].push_back(std::log(time.seconds));
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
  for (const auto& c : side.cases) {
    const auto in_first = std::count_if(c.times.begin(), c.times.end(),
                                        [](const auto& time) { return time.session == 0; });
    most = std::max(most, static_cast<std::size_t>(in_first));
  }
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
  std::vector<double> variances;
  variances.reserve(calibration.cases.size());
  for (const auto& c : calibration.cases) {
    const double bounded = std::max(c.*deviation, least_deviation);
    variances.push_back(stats::square(bounded));
  }
  stats::VarianceEstimate prior;
  if (variances.size() >= fewest_for_prior && degrees >= fewest_degrees_for_prior) {
    prior = stats::variance_prior(variances, degrees);
    prior.degrees = std::min(prior.degrees, degrees);
  }
  std::vector<stats::VarianceEstimate> result;
  result.reserve(variances.size());
  for (const double variance : variances) {
    result.push_back(stats::moderated({variance, degrees}, prior));
  }
  return result;
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
  const auto processes = processes_of(side);
  calibration.processes = static_cast<int>(processes);
  for (const auto& c : side.cases) {
    const auto logs = logs_of(c, side.sessions.size());
    if (!c.failed.empty() || !is_whole(logs, processes)) continue;
    calibration.cases.push_back(split(c, logs));
  }
  if (calibration.cases.empty() || processes < 2) {
    throw NothingToCalibrate("no case was measured by two processes or more in every session");
  }
  set_floors(calibration);
  return calibration;
}

std::vector<KnownSpread> known_spreads(const Calibration& calibration) {
  const auto means = session_means(calibration);
  const auto within =
      moderated_over_cases(calibration, &CalibratedCase::process,
                           calibration.sessions * static_cast<double>(calibration.processes - 1));
  std::vector<KnownSpread> spreads;
  spreads.reserve(means.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    spreads.push_back({means[i].variance, means[i].degrees, within[i].variance, within[i].degrees,
                       static_cast<double>(calibration.processes)});
  }
  return spreads;
}

}  // namespace apod::compare
