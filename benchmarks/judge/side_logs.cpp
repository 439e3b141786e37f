#include "benchmarks/judge/side_logs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/stats/means.hpp"

namespace apod::judge {

std::optional<double> last_digit(std::span<const double> seconds) {
  constexpr double finest = 1e-12;
  constexpr double rounding = 1e-6;  // of a division
  constexpr double coarsest = 0.15;  // of the shortest
  constexpr std::size_t many = 3;
  if (seconds.empty()) return std::nullopt;
  const double shortest = std::ranges::min(seconds);
  for (double step = 1; step > finest; step /= 10) {
    std::set<double> steps;
    const auto is_multiple = [&](double value) {
      const double number = value / step;
      if (steps.size() < many) steps.insert(std::round(number));
      return number > 0.5 &&
             std::abs(number - std::round(number)) <= rounding * std::min(number, 1e3);
    };
    if (!std::ranges::all_of(seconds, is_multiple)) continue;
    const bool are_neighbours = steps.size() == 2 && *steps.rbegin() - *steps.begin() == 1;
    const bool is_used = steps.size() >= many || are_neighbours;
    return is_used && step <= coarsest * shortest ? std::optional(step) : std::nullopt;
  }
  return std::nullopt;
}

SideLogs::SideLogs(const SideCase& c, const Side& side, const Days& of_side)
    : tick(c.tick_s / estimate_time(medians_of(side, c)).value),
      least(std::numeric_limits<double>::infinity()),
      most(-least),
      session_means(side.sessions.size(), std::numeric_limits<double>::quiet_NaN()) {
  std::map<std::uint32_t, std::vector<double>> by_session;
  for (const auto& time : c.times) by_session[time.session].push_back(std::log(time.seconds));
  for (auto& [session, values] : by_session) {
    if (side.sessions[session].one_process) values = {stats::median(values)};
  }
  sessions = by_session.size();
  days.resize(of_side.count + (of_side.undated > 0 ? 1 : 0));
  double squares = 0;
  std::vector<std::vector<double>> of_days(days.size());
  std::vector<std::vector<double>> means(days.size());
  for (const auto& [session, values] : by_session) {
    const auto day = of_side.of_session[session];
    processes += values.size();
    const double session_mean = session_means[session] = stats::mean(values);
    squares += static_cast<double>(stats::square_sum(values, session_mean));
    means[day].push_back(session_mean);
    of_days[day].insert(of_days[day].end(), values.begin(), values.end());
    const auto [low, high] = std::ranges::minmax(values);
    least = std::min(least, low);
    most = std::max(most, high);
  }
  const auto n = static_cast<double>(processes);
  stats::VarianceEstimate of_sessions;
  for (std::size_t i = 0; i < days.size(); ++i) {
    const auto& values = of_days[i];
    if (values.empty()) continue;
    days[i] = {stats::mean(values), values.size()};
    mean += days[i].mean * static_cast<double>(values.size()) / n;
    of_sessions.variance += static_cast<double>(stats::square_sum(means[i], stats::mean(means[i])));
    of_sessions.degrees += static_cast<double>(means[i].size()) - 1;
  }
  time_s = std::exp(mean);
  own.degrees = n - static_cast<double>(sessions);
  if (own.degrees > 0) own.variance = squares / own.degrees;
  if (own.degrees <= 0 && of_sessions.degrees <= 0 && sessions > 1) {
    // One process a day: what lies between days is all that is known.
    for (const auto& day : days) {
      if (day.processes > 0) own.variance += stats::square(day.mean - mean);
    }
    own.degrees = n - 1;
    own.variance /= own.degrees;
    return;
  }
  if (of_sessions.degrees <= 0) return;
  of_sessions.variance /= of_sessions.degrees;
  if (own.degrees <= 0) {
    own = of_sessions;
  } else {
    const double explained = own.variance * static_cast<double>(sessions) / n;
    between_sessions = {std::max(0.0, of_sessions.variance - explained), of_sessions.degrees};
  }
}

double mean_by_median(double variance, double degrees) {
  return variance / std::pow(1 - 2 / (9 * degrees), 3);
}

double tick_of(const SideLogs& base, const SideLogs& new_side) {
  return std::min(base.tick, new_side.tick);
}

}  // namespace apod::judge
