#include "benchmarks/report/bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace apod::report {
namespace {

constexpr std::array<const char*, 8> heights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
const double least_range = std::log(1.1);
/// So that equal values have one height.
constexpr double rounding = 1e-6;

}  // namespace

std::string chart(std::span<const Bar> bars) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Bar& bar : bars) {
    if (bar.failed || bar.aside) continue;
    low = std::min(low, std::log(bar.value));
    high = std::max(high, std::log(bar.value));
  }
  const double range = std::max(high - low, least_range);
  const double bottom = (low + high - range) / 2;
  std::string text;
  for (const Bar& bar : bars) {
    if (bar.failed) {
      text += "x";
      continue;
    }
    const double share = (std::log(bar.value) - bottom) / range;
    const double step =
        std::clamp(std::floor(share * heights.size() + rounding), 0.0, heights.size() - 1.0);
    text += heights.at(static_cast<std::size_t>(step));
  }
  return text;
}

}  // namespace apod::report
