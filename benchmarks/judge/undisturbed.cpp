#include "benchmarks/judge/undisturbed.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "benchmarks/base/stats/means.hpp"

namespace apod::judge {
namespace {

using Block = BlockCase::Block;

constexpr std::size_t fewest_blocks = 5;
constexpr std::size_t most_left_out = 3;  // one in so many
constexpr double far = 5;                 // robust standard deviations
// Of a single visit, ln s: a program that always takes the same time must not be held to that.
constexpr double least_visit_deviation = 2e-4;
// Median absolute deviation to standard deviation, and the same for the larger of two independent
// differences of two visits, whose own deviation is sqrt(2) visits.
constexpr double of_normal = 1.4826;
constexpr double of_larger_difference = 1 / (1.0518 * 1.4142);

double disagreement(const Block& block) {
  return std::max(std::abs(block.base[0] - block.base[1]),
                  std::abs(block.new_side[0] - block.new_side[1]));
}

double level(const Block& block) {
  return (middle(block.base) + middle(block.new_side)) / 2;
}

/// How many robust standard deviations each value is away from the median of all.
std::vector<double> distances(std::vector<double> values, double least) {
  const double middle = stats::median(values);
  for (auto& value : values) value = std::abs(value - middle);
  const double deviation = std::max(of_normal * stats::median(values), least);
  for (auto& value : values) value /= deviation;
  return values;
}

}  // namespace

std::vector<Block> undisturbed(const std::vector<Block>& blocks) {
  if (blocks.size() < fewest_blocks) return blocks;
  const auto apart = values_of(blocks, disagreement);
  const double visit = std::max(of_larger_difference * stats::median(apart), least_visit_deviation);
  const auto levels = distances(values_of(blocks, level), visit / 2);
  const auto differences =
      distances(values_of(blocks, [](const Block& block) { return block.difference(); }), visit);
  std::vector<std::pair<double, std::size_t>> spoilt;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const double within = apart[i] / (std::sqrt(2.0) * visit);
    const double badness = std::max(within, std::min(levels[i], differences[i]));
    if (badness > far) spoilt.push_back({badness, i});
  }
  std::sort(spoilt.rbegin(), spoilt.rend());
  spoilt.resize(std::min(spoilt.size(), blocks.size() / most_left_out));
  std::vector<Block> kept;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool out = std::any_of(spoilt.begin(), spoilt.end(),
                                 [&](const auto& item) { return item.second == i; });
    if (!out) kept.push_back(blocks[i]);
  }
  return kept;
}

}  // namespace apod::judge
