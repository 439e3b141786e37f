#include "benchmarks/base/stats/corrections.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>

namespace apod::stats {
namespace {

/// Indices of `p`, smallest p first.
std::vector<std::size_t> ascending(std::span<const double> p, const char* function) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] >= 0 && p[i] <= 1) continue;  // false for NaN too
    throw std::domain_error(std::string(function) + ": p[" + std::to_string(i) + "] is " +
                            std::to_string(p[i]) + ", which is not in [0, 1]");
  }
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p) {
  const auto order = ascending(p, "holm");
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto still_open = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, still_open * p[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  const auto order = ascending(p, "benjamini_hochberg");
  const auto tests = static_cast<double>(order.size());
  std::vector<double> adjusted(p.size());
  double smallest = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t test = order[rank - 1];
    smallest = std::min(smallest, p[test] * (tests / static_cast<double>(rank)));
    adjusted[test] = smallest;
  }
  return adjusted;
}

}  // namespace apod::stats
