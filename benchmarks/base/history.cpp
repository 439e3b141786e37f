#include "benchmarks/base/history.hpp"

#include <cmath>
#include <numeric>

namespace apod {

std::optional<CaseHistory::OpenStep> CaseHistory::open_step() const {
  constexpr std::size_t fewest = 2;
  constexpr std::size_t many = 8;  // runs: these show a change where there is one
  constexpr double apart = 0.05;   // of ln time, and four times as far as each level is wide
  std::vector<double> logs;
  for (const auto& point : points) {
    const bool counts = point.failed.empty() && !point.outlier;
    if (counts && &segments.at(point.segment) == last_segment()) {
      logs.push_back(std::log(point.time_s.value));
    }
  }
  if (logs.size() > many) return std::nullopt;
  for (std::size_t n = fewest; n + fewest <= logs.size(); ++n) {
    const auto middle = logs.begin() + static_cast<std::ptrdiff_t>(n);
    const auto [low, high] = std::minmax_element(logs.begin(), middle);
    const auto [least, most] = std::minmax_element(middle, logs.end());
    const double gap = std::max(*least - *high, *low - *most);
    if (gap < std::max(apart, 4 * std::max(*high - *low, *most - *least))) continue;
    const auto level = [](auto begin, auto end) {
      return std::exp(std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin));
    };
    return OpenStep{level(logs.begin(), middle), level(middle, logs.end()), logs.size() - n};
  }
  return std::nullopt;
}

}  // namespace apod
