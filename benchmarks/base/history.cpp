#include "benchmarks/base/history.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "benchmarks/base/stats/modes.hpp"

namespace apod {
namespace {

constexpr double worth_telling = 0.05;  // of ln time

/// ln of the times of the last segment that count for its level.
std::vector<double> last_logs(const CaseHistory& history) {
  std::vector<double> logs;
  for (const auto& point : history.points) {
    const bool counts = point.failed.empty() && !point.outlier;
    if (counts && &history.segments.at(point.segment) == history.last_segment())
      logs.push_back(std::log(point.time_s.value));
  }
  return logs;
}

}  // namespace

std::optional<CaseHistory::OpenStep> CaseHistory::open_step() const {
  constexpr std::size_t fewest = 2;
  constexpr std::size_t many = 8;  // runs: these show a change where there is one
  const auto logs = last_logs(*this);
  if (logs.size() > many) return std::nullopt;
  for (std::size_t n = fewest; n + fewest <= logs.size(); ++n) {
    const auto middle = logs.begin() + static_cast<std::ptrdiff_t>(n);
    const auto [low, high] = std::minmax_element(logs.begin(), middle);
    const auto [least, most] = std::minmax_element(middle, logs.end());
    const double gap = std::max(*least - *high, *low - *most);
    // Four times as far as each level is wide.
    if (gap < std::max(worth_telling, 4 * std::max(*high - *low, *most - *least))) continue;
    const auto level = [](auto begin, auto end) {
      return std::exp(std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin));
    };
    return OpenStep{level(logs.begin(), middle), level(middle, logs.end()), logs.size() - n};
  }
  return std::nullopt;
}

std::optional<CaseHistory::Turns> CaseHistory::turns() const {
  const auto logs = last_logs(*this);
  const auto levels = stats::taking_turns(logs);
  if (levels.empty() || levels.back() - levels.front() < worth_telling) return std::nullopt;
  Turns turns;
  for (const double level : levels) turns.levels_s.push_back(std::exp(level));
  turns.last_s = std::exp(*std::ranges::min_element(
      levels, {}, [&](double level) { return std::abs(level - logs.back()); }));
  return turns;
}

}  // namespace apod
