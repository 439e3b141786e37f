#include "benchmarks/compare/side_logs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "benchmarks/model/estimator.hpp"
#include "benchmarks/stats/means.hpp"
#include "benchmarks/stats/series.hpp"
#include "benchmarks/text/date.hpp"

namespace apod::compare {
namespace {

constexpr double gap_between_days_s = 6 * 3600;
constexpr double longest_day_s = 12 * 3600;

std::optional<double> instant_of(const SideSession& session) {
  const auto found = session.environment.find("date");
  return found == session.environment.end() ? std::nullopt : text::instant_of(found->second);
}

}  // namespace

Days days_of(const Side& side) {
  Days days;
  std::vector<std::optional<double>> instants;
  for (const auto& session : side.sessions) instants.push_back(instant_of(session));
  days.undated = static_cast<std::size_t>(
      std::count(instants.begin(), instants.end(), std::optional<double>()));
  std::vector<std::size_t> order(instants.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return instants[a] < instants[b]; });
  days.of_session.resize(instants.size());
  if (days.undated > 0) {
    days.count = 1;
    return days;
  }
  double first = 0;
  double before = 0;
  for (const auto i : order) {
    const double now = *instants[i];
    if (days.count == 0 || now - before >= gap_between_days_s || now - first >= longest_day_s) {
      ++days.count;
      first = now;
    }
    days.of_session[i] = static_cast<std::uint32_t>(days.count - 1);
    before = now;
  }
  if (!order.empty()) {
    days.first = instants[order.front()];
    days.last = instants[order.back()];
  }
  return days;
}

bool lie_apart(const Days& a, const Days& b) {
  if (!a.first || !b.first) return false;
  return *a.last < *b.first || *b.last < *a.first;
}

SideLogs::SideLogs(const SideCase& c, const Side& side, const Days& of_side)
    : time_s(estimate_time(medians_of(c)).value), tick(c.tick_s / time_s) {
  std::map<std::uint32_t, std::vector<double>> sessions;
  for (const auto& time : c.times) sessions[time.session].push_back(std::log(time.seconds));
  double of_repetitions = 0;
  for (auto& [session, values] : sessions) {
    if (!side.sessions[session].one_process) continue;
    const auto series = stats::series_mean(values);
    if (values.size() > 1) {
      of_repetitions += stats::square(series.standard_error);
      repetitions.degrees += series.degrees;
    }
    values = {series.mean};
  }
  if (repetitions.degrees > 0) {
    repetitions.variance = of_repetitions / static_cast<double>(sessions.size());
  }
  days.resize(of_side.count);
  double squares = 0;
  std::vector<std::vector<double>> of_days(of_side.count);
  std::vector<std::vector<double>> session_means(of_side.count);
  for (const auto& [session, values] : sessions) {
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
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    range = std::max(range, *high - *low);
    days[i] = {stats::mean(values), values.size()};
    mean += days[i].mean * static_cast<double>(values.size()) / n;
    day_weight += stats::square(static_cast<double>(values.size()) / n);
    of_sessions.variance +=
        static_cast<double>(stats::square_sum(session_means[i], stats::mean(session_means[i])));
    of_sessions.degrees += static_cast<double>(session_means[i].size()) - 1;
  }
  for (const auto& [session, values] : sessions) {
    session_weight += stats::square(static_cast<double>(values.size()) / n);
  }
  own.degrees = n - static_cast<double>(sessions.size());
  if (own.degrees > 0) own.variance = squares / own.degrees;
  if (of_sessions.degrees <= 0) return;
  // A session's mean varies by more than its processes do: in units of one process, by so much.
  of_sessions.variance *= n / static_cast<double>(sessions.size()) / of_sessions.degrees;
  if (of_sessions.variance > own.variance || own.degrees <= 0) own = of_sessions;
}

}  // namespace apod::compare
