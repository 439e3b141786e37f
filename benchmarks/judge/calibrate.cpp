#include "benchmarks/judge/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "benchmarks/base/run_properties.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/moderated_variance.hpp"
#include "benchmarks/judge/judge.hpp"
#include "benchmarks/judge/sessions.hpp"
#include "benchmarks/judge/side_logs.hpp"

namespace apod::judge {
namespace {

// With fewer sessions chance makes alike what is not, and all cases share what they met.
constexpr double fewest_degrees_for_prior = 4;

// A share. With two noisy sessions the formula ends beyond any number, which no file could hold.
const double largest_floor = stats::as_share(far_out);

/// Every session counts as a day of its own.
Days one_session_a_day(const Side& side) {
  Days days;
  for (std::size_t i = 0; i < side.sessions.size(); ++i)
    days.of_session.push_back(static_cast<std::uint32_t>(days.count++));
  return days;
}

/// The processes of every session; absent where sessions differ in that.
std::optional<std::size_t> processes_of(const SideLogs& logs) {
  const auto count = logs.days.front().processes;
  const bool same = std::ranges::all_of(
      logs.days, [&](const auto& session) { return session.processes == count; });
  return same ? std::optional(count) : std::nullopt;
}

/// Why a case is not in a calibration.
std::string lack_of(const SideCase& c, const Side& side) {
  if (!c.failed.empty()) return c.name + ": " + c.failed;
  std::map<std::uint32_t, std::size_t> processes;
  for (const auto& time : c.times) ++processes[time.session];
  if (processes.size() < side.sessions.size()) {
    return fmt::format("{} is in only {} of {} sessions", c.name, processes.size(),
                       side.sessions.size());
  }
  return c.name + " does not have the same number of processes in every session";
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
CalibratedCase split(const SideCase& c, const SideLogs& logs) {
  std::vector<double> means;
  means.reserve(logs.days.size());
  for (const auto& session : logs.days) means.push_back(session.mean);
  CalibratedCase result;
  result.name = c.name;
  result.version = c.version;
  result.time_s = logs.time_s;
  result.sample = sample_deviation(c);
  result.process = std::sqrt(logs.own.variance);
  result.session_mean = stats::standard_deviation(means);
  const double from_processes =
      logs.own.variance / static_cast<double>(logs.days.front().processes);
  result.session = std::sqrt(std::max(0.0, stats::square(result.session_mean) - from_processes));
  return result;
}

/// With fewer, cases say nothing of one another.
constexpr std::size_t fewest_for_prior = 20;

/// Each variance moderated by all of them (stats::variance_prior), which weigh at most
/// `most_weight` times as much as its own degrees. Variances without degrees stay as they are. With
/// fewer than fewest_for_prior nothing is shared. None is below least_deviation^2.
std::vector<stats::VarianceEstimate> moderated_together(
    std::vector<stats::VarianceEstimate> variances, double most_weight) {
  std::map<double, std::vector<double>> by_degrees;
  for (auto& estimate : variances) {
    estimate.variance = std::max(estimate.variance, stats::square(least_deviation));
    if (estimate.degrees > 0) by_degrees[estimate.degrees].push_back(estimate.variance);
  }
  // The prior of the many: those that lost a process have other degrees, and are few.
  const auto most = std::ranges::max_element(
      by_degrees, [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most == by_degrees.end() || most->second.size() < fewest_for_prior) return variances;
  const auto prior = stats::variance_prior(most->second, most->first);
  for (auto& estimate : variances) {
    if (!(estimate.degrees > 0)) continue;
    estimate = stats::moderated(
        estimate, {prior.variance, std::min(prior.degrees, most_weight * estimate.degrees)});
  }
  return variances;
}

/// Of a session's mean of each case, moderated by all cases.
std::vector<stats::VarianceEstimate> session_means(const Calibration& calibration) {
  const double degrees = calibration.sessions - 1;
  std::vector<stats::VarianceEstimate> variances;
  variances.reserve(calibration.cases.size());
  for (const auto& c : calibration.cases)
    variances.push_back({stats::square(c.session_mean), degrees});
  return moderated_together(std::move(variances), degrees < fewest_degrees_for_prior ? 0 : 1);
}

void set_floors(Calibration& calibration) {
  const auto means = session_means(calibration);
  const double each = calibration.alpha / static_cast<double>(calibration.cases.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double error = std::sqrt(2 * means[i].variance);
    const double change = stats::as_share(detectable_change(error, means[i].degrees, each, 0));
    calibration.cases[i].floor = std::min(change, largest_floor);
  }
}

}  // namespace

Calibration calibrate(const Side& side, double alpha) {
  if (side.sessions.size() < 2)
    throw NothingToCalibrate("a calibration needs two sessions, but there is only one");
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
  const auto days = days_of(side);
  calibration.days = days.undated == 0 ? static_cast<int>(days.count) : 0;
  calibration.boards = static_cast<int>(boards_of(side).size());
  std::vector<const SideCase*> measured;
  std::vector<SideLogs> logs;
  std::map<std::size_t, std::size_t> cases_with;  // so many processes in every session
  const auto sessions = one_session_a_day(side);
  logs.reserve(side.cases.size());
  for (const auto& c : side.cases) {
    if (c.times.empty()) continue;
    measured.push_back(&c);
    logs.emplace_back(c, side, sessions);
    const auto processes = processes_of(logs.back());
    if (c.failed.empty() && processes) ++cases_with[*processes];
  }
  if (cases_with.empty()) {
    throw NothingToCalibrate("no case has the same number of processes in every session" +
                             (side.cases.empty() ? "" : "; " + lack_of(side.cases.front(), side)));
  }
  const auto most = std::ranges::max_element(cases_with, [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  const auto processes = most->first;
  calibration.processes = static_cast<int>(processes);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (measured[i]->failed.empty() && processes_of(logs[i]) == processes)
      calibration.cases.push_back(split(*measured[i], logs[i]));
  }
  set_floors(calibration);
  return calibration;
}

std::vector<KnownSpread> known_spreads(const Calibration& calibration) {
  const auto means = session_means(calibration);
  std::vector<KnownSpread> spreads;
  spreads.reserve(means.size());
  for (const auto& mean : means)
    spreads.push_back({mean.variance, mean.degrees, calibration.days < 2});
  return spreads;
}

}  // namespace apod::judge
