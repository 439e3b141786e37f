#include "benchmarks/judge/side_logs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/stats/means.hpp"

namespace apod::judge {

double tick_of(const SideCase& c) {
  constexpr double finest = 1e-12;
  constexpr double rounding = 1e-6;  // of a division
  // Times that agree in their first digit alone were more likely written by hand.
  constexpr double coarsest = 0.15;
  const double shortest =
      std::ranges::min(c.times, {}, [](const ProcessTime& time) { return time.seconds; }).seconds;
  for (double step = 1; step > finest && step > c.tick_s; step /= 10) {
    if (step > coarsest * shortest) continue;
    const auto is_multiple = [&](const ProcessTime& time) {
      const double steps = time.seconds / step;
      return std::abs(steps - std::round(steps)) <= rounding * std::min(steps, 1e3);
    };
    if (std::ranges::all_of(c.times, is_multiple)) return step;
  }
  return c.tick_s;
}

SideLogs::SideLogs(const SideCase& c, const Side& side, const Days& of_side)
    : tick(tick_of(c) / estimate_time(medians_of(side, c)).value),
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
  if (of_sessions.degrees <= 0) return;
  of_sessions.variance /= of_sessions.degrees;
  if (own.degrees <= 0) {
    own = of_sessions;
  } else {
    const double explained = own.variance * static_cast<double>(sessions) / n;
    between_sessions = {std::max(0.0, of_sessions.variance - explained), of_sessions.degrees};
  }
}

}  // namespace apod::judge
