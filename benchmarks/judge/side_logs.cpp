#include "benchmarks/judge/side_logs.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/base/estimator.hpp"
#include "benchmarks/base/stats/means.hpp"

namespace apod::judge {
SideLogs::SideLogs(const SideCase& c, const Side& side, const Days& of_side)
    : tick(c.tick_s / estimate_time(medians_of(side, c)).value) {
  std::map<std::uint32_t, std::vector<double>> by_session;
  for (const auto& time : c.times) by_session[time.session].push_back(std::log(time.seconds));
  for (auto& [session, values] : by_session) {
    if (side.sessions[session].one_process) values = {stats::median(values)};
  }
  sessions = by_session.size();
  days.resize(of_side.count);
  double squares = 0;
  std::vector<std::vector<double>> of_days(of_side.count);
  std::vector<std::vector<double>> session_means(of_side.count);
  for (const auto& [session, values] : by_session) {
    const auto day = of_side.of_session[session];
    processes += values.size();
    const double session_mean = stats::mean(values);
    squares += static_cast<double>(stats::square_sum(values, session_mean));
    session_means[day].push_back(session_mean);
    of_days[day].insert(of_days[day].end(), values.begin(), values.end());
  }
  const auto n = static_cast<double>(processes);
  stats::VarianceEstimate of_sessions;
  for (std::size_t i = 0; i < days.size(); ++i) {
    const auto& values = of_days[i];
    if (values.empty()) continue;
    days[i] = {stats::mean(values), values.size()};
    mean += days[i].mean * static_cast<double>(values.size()) / n;
    of_sessions.variance +=
        static_cast<double>(stats::square_sum(session_means[i], stats::mean(session_means[i])));
    of_sessions.degrees += static_cast<double>(session_means[i].size()) - 1;
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
    between_sessions = std::max(0.0, of_sessions.variance - explained);
  }
}

}  // namespace apod::judge
