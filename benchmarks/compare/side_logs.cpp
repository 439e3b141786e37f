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
  // Without all dates the order of the files is the best there is.
  if (days.undated == 0) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return instants[a] < instants[b]; });
  }
  days.of_session.resize(instants.size());
  std::optional<double> before;
  for (const auto i : order) {
    const auto now = instants[i];
    const bool same_day = before && now && std::abs(*now - *before) < gap_between_days_s;
    if (!same_day) ++days.count;
    days.of_session[i] = static_cast<std::uint32_t>(days.count - 1);
    before = now;
  }
  if (days.undated == 0 && !order.empty()) {
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
  for (const auto& [session, values] : sessions) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    range = std::max(range, *high - *low);
    processes += values.size();
    squares += static_cast<double>(stats::square_sum(values, stats::mean(values)));
    auto& day = days[of_side.of_session[session]];
    for (const double value : values) {
      mean += value;
      day.mean += value;
    }
    day.processes += values.size();
  }
  const auto n = static_cast<double>(processes);
  mean /= n;
  for (auto& day : days) {
    if (day.processes > 0) day.mean /= static_cast<double>(day.processes);
  }
  for (const auto& [session, values] : sessions) {
    session_weight += stats::square(static_cast<double>(values.size()) / n);
  }
  own.degrees = n - static_cast<double>(sessions.size());
  if (own.degrees > 0) own.variance = squares / own.degrees;
}

}  // namespace apod::compare
