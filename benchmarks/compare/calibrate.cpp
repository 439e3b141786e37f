#include "benchmarks/compare/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "benchmarks/compare/environment.hpp"
#include "benchmarks/compare/judge.hpp"
#include "benchmarks/stats/summary.hpp"
#include "benchmarks/stats/variance_components.hpp"

namespace apod::compare {
namespace {

/// A spread that is known: no degrees of freedom to lose.
constexpr double many_degrees = 1e6;

/// [session][process][1]: ln of the process's median.
std::vector<std::vector<std::vector<double>>> logs_of(const SideCase& c, std::size_t sessions) {
  std::vector<std::vector<std::vector<double>>> logs(sessions);
  for (const auto& time : c.times) logs[time.session].push_back({std::log(time.seconds)});
  return logs;
}

bool is_whole(const std::vector<std::vector<std::vector<double>>>& logs) {
  return std::all_of(logs.begin(), logs.end(),
                     [](const auto& session) { return session.size() > 1; });
}

/// Root mean square of the processes' own spreads.
double sample_deviation(const SideCase& c) {
  double sum = 0;
  for (const auto& time : c.times) sum += time.deviation * time.deviation;
  return std::sqrt(sum / static_cast<double>(c.times.size()));
}

CalibratedCase split(const SideCase& c, const std::vector<std::vector<std::vector<double>>>& logs) {
  const auto parts = stats::variance_components(logs);
  double sum = 0;
  for (const auto& time : c.times) sum += std::log(time.seconds);
  return {c.name, std::exp(sum / static_cast<double>(c.times.size())), sample_deviation(c),
          std::sqrt(parts.process), std::sqrt(parts.session)};
}

std::string property(const SideSession& session, const std::string& key) {
  const auto found = session.environment.find(key);
  return found == session.environment.end() ? "" : found->second;
}

/// Root mean square of the cases' deviations between sessions.
double pooled_session(const Calibration& calibration) {
  double sum = 0;
  for (const auto& c : calibration.cases) sum += c.session * c.session;
  return std::sqrt(sum / static_cast<double>(calibration.cases.size()));
}

}  // namespace

Calibration calibrate(const Side& side) {
  if (side.sessions.size() < 2) {
    throw std::runtime_error("one session shows no difference between sessions");
  }
  Calibration calibration;
  const auto& first = side.sessions.front();
  calibration.date = property(first, "date");
  calibration.config = property(first, "config");
  calibration.commit = property(first, "commit");
  calibration.sessions = static_cast<int>(side.sessions.size());
  for (const auto& [key, value] : first.environment) {
    if (is_decisive(key)) calibration.environment[key] = value;
  }
  for (const auto& c : side.cases) {
    const auto logs = logs_of(c, side.sessions.size());
    if (!c.failed.empty() || !is_whole(logs)) continue;
    calibration.cases.push_back(split(c, logs));
    calibration.processes = std::max(calibration.processes, static_cast<int>(logs.front().size()));
  }
  if (calibration.cases.empty()) {
    throw std::runtime_error("no case was measured by two processes or more in every session");
  }
  return calibration;
}

double session_deviation(const Calibration& calibration, const CalibratedCase& c) {
  return std::max(c.session, pooled_session(calibration));
}

std::vector<double> session_deviations(const Calibration& calibration) {
  const double pooled = pooled_session(calibration);
  std::vector<double> deviations;
  deviations.reserve(calibration.cases.size());
  for (const auto& c : calibration.cases) deviations.push_back(std::max(c.session, pooled));
  return deviations;
}

double floor_of(const Calibration& calibration, const CalibratedCase& c, double alpha) {
  const double error = std::sqrt(2.0) * session_deviation(calibration, c);
  if (error <= 0) return 0;
  const double each = alpha / static_cast<double>(calibration.cases.size());
  return as_share(detectable_change(error, many_degrees, each, 0));
}

}  // namespace apod::compare
