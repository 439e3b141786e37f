#include "benchmarks/compare/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "benchmarks/compare/judge.hpp"
#include "benchmarks/stats/power.hpp"
#include "benchmarks/stats/t_tests.hpp"

namespace apod::compare {
namespace {

using Blocks = std::vector<BlockCase::Block>;

constexpr std::size_t least_blocks = 2;
// The control is asked of every case: only a clear answer is worth a word.
constexpr double control_level = 0.001;
constexpr std::size_t most_blocks = 10'000;

double middle(const Visits& visits) {
  return (visits[0] + visits[1]) / 2;
}

stats::MeanEstimate change_of(const Blocks& blocks) {
  std::vector<double> values;
  values.reserve(blocks.size());
  for (const auto& block : blocks) values.push_back(middle(block.new_side) - middle(block.base));
  return stats::mean_estimate(values);
}

/// Of ln A1 - ln A2: the base against itself.
stats::MeanEstimate control_of(const Blocks& blocks) {
  std::vector<double> values;
  values.reserve(blocks.size());
  for (const auto& block : blocks) values.push_back(block.base[0] - block.base[1]);
  return stats::mean_estimate(values);
}

double mean_seconds(const Blocks& blocks, Visits BlockCase::Block::*arm) {
  double sum = 0;
  for (const auto& block : blocks) sum += middle(block.*arm);
  return std::exp(sum / static_cast<double>(blocks.size()));
}

double spread_of(const Blocks& blocks) {
  return change_of(blocks).standard_error * std::sqrt(static_cast<double>(blocks.size()));
}

/// How a case that the screening dropped would have fared with `effect`: found by the screening,
/// then confirmed by the usual number of blocks.
double power_of_both_stages(double effect, double spread, double blocks, double alpha,
                            double least) {
  const double n = static_cast<double>(confirmation_blocks);
  const double screened =
      stats::t_test_power(effect, spread / std::sqrt(blocks), blocks - 1, screening_level / 2);
  const double confirmed = stats::t_test_power(effect, spread / std::sqrt(n), n - 1, alpha / 2);
  const double large_enough =
      1 - stats::t_upper_tail((effect - least) * std::sqrt(n) / spread, n - 1);
  return screened * std::min(confirmed, large_enough);
}

/// Solved to a thousandth: it is an estimate from a handful of blocks.
double detectable_by_both_stages(const Blocks& screening, double alpha, double least) {
  const double spread = spread_of(screening);
  if (spread <= 0) return least;
  const auto blocks = static_cast<double>(screening.size());
  const auto found = [&](double effect) {
    return power_of_both_stages(effect, spread, blocks, alpha, least) >= wanted_power;
  };
  double low = least;
  double high = least + spread;
  while (!found(high)) {
    low = high;
    high *= 2;
  }
  while (high > 1.001 * low) {
    const double effect = std::sqrt(low * high);
    (found(effect) ? high : low) = effect;
  }
  return high;
}

/// Confirmation blocks with which a change of the threshold's size is found.
std::optional<std::size_t> blocks_needed(double spread, double effect, double alpha) {
  const auto needed = stats::units_to_detect(effect, spread, 1, 1, alpha / 2, wanted_power);
  if (needed > most_blocks) return std::nullopt;
  return needed;
}

CaseComparison first_words(const BlockCase& c, const Blocks& blocks,
                           const CompareOptions& options) {
  CaseComparison result;
  result.name = c.name;
  result.threshold = threshold_of(options, c.threshold);
  result.replicate = Replicate::block;
  result.base_units = result.new_units = blocks.size();
  if (!c.failed.empty()) {
    result.verdict = Verdict::invalid;
    result.reason = c.failed;
  } else if (blocks.size() < least_blocks) {
    result.verdict = Verdict::inconclusive;
    result.reason = "fewer than two whole blocks were measured";
  }
  if (blocks.empty()) return result;
  result.base_s = mean_seconds(blocks, &BlockCase::Block::base);
  result.new_s = mean_seconds(blocks, &BlockCase::Block::new_side);
  if (blocks.size() < least_blocks) return result;
  const auto control = control_of(blocks);
  if (stats::p_different(control, 0) < control_level) {
    result.warnings.push_back(
        fmt::format("the base against itself moved by {:.2f} % within a block: the machine drifts",
                    100 * std::abs(control.mean)));
  }
  return result;
}

}  // namespace

bool is_candidate(const BlockCase& c) {
  if (!c.failed.empty() || c.screening.size() < least_blocks) return false;
  return stats::p_different(change_of(c.screening), 0) < screening_level;
}

Comparison judge_blocks(const std::vector<BlockCase>& cases, const CompareOptions& options) {
  Comparison comparison;
  comparison.method = CompareMethod::blocks;
  comparison.options = options;
  std::vector<Evidence> evidence;
  std::vector<const Blocks*> judged;
  for (const auto& c : cases) {
    const bool confirmed = c.confirmation.size() >= least_blocks;
    const Blocks& blocks = confirmed ? c.confirmation : c.screening;
    comparison.cases.push_back(first_words(c, blocks, options));
    if (!c.failed.empty() || blocks.size() < least_blocks) continue;
    evidence.push_back({comparison.cases.size() - 1, change_of(blocks), confirmed});
    judged.push_back(&blocks);
  }
  judge(evidence, comparison);
  const auto family = std::count_if(evidence.begin(), evidence.end(),
                                    [](const Evidence& e) { return e.in_family; });
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    auto& result = comparison.cases[evidence[i].index];
    const double least = std::log1p(result.threshold);
    if (!evidence[i].in_family) {
      // Had it changed, it would have been one candidate more.
      const double alpha = options.alpha / static_cast<double>(family + 1);
      result.detectable = as_share(detectable_by_both_stages(*judged[i], alpha, least));
    }
    if (result.verdict == Verdict::inconclusive) {
      const double alpha = options.alpha / static_cast<double>(std::max<std::ptrdiff_t>(family, 1));
      result.units_needed = blocks_needed(spread_of(*judged[i]), least, alpha);
    }
  }
  return comparison;
}

}  // namespace apod::compare
