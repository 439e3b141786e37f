#include "benchmarks/judge/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "benchmarks/base/stats/power.hpp"
#include "benchmarks/base/stats/t_tests.hpp"
#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/judge/judge.hpp"
#include "benchmarks/judge/undisturbed.hpp"

namespace apod::judge {
namespace {

using Blocks = std::vector<BlockCase::Block>;

// The control is asked of every case: only a clear answer is worth a word.
constexpr double control_level = 0.001;
constexpr std::size_t most_blocks = 10'000;
// Standard deviation of a block's difference, ln s, below which blocks are not believed to repeat:
// clocks tick, and blocks that agree to the last digit prove nothing.
constexpr double least_difference = 1e-4;

stats::MeanEstimate change_of(const Blocks& blocks) {
  auto estimate =
      stats::mean_estimate(values_of(blocks, std::mem_fn(&BlockCase::Block::difference)));
  const double least = least_difference / std::sqrt(static_cast<double>(blocks.size()));
  estimate.standard_error = std::max(estimate.standard_error, least);
  return estimate;
}

/// Of ln A1 - ln A2: the base against itself.
stats::MeanEstimate control_of(const Blocks& blocks) {
  return stats::mean_estimate(
      values_of(blocks, [](const auto& block) { return block.base[0] - block.base[1]; }));
}

double mean_seconds(const Blocks& blocks, Visits BlockCase::Block::*arm) {
  return std::exp(
      stats::mean(values_of(blocks, [&](const auto& block) { return middle(block.*arm); })));
}

double spread_of(const Blocks& blocks) {
  return change_of(blocks).standard_error * std::sqrt(static_cast<double>(blocks.size()));
}

/// What a change is compared with.
struct Bar {
  double alpha = 0;  ///< of Holm's hardest step
  double least = 0;  ///< ln
  bool strict = false;
};

/// How a case that the screening dropped would have fared with a change.
class BothStages {
 public:
  BothStages(const Blocks& screening, int planned, const Bar& bar)
      : spread_(spread_of(screening)),
        screened_(static_cast<double>(screening.size())),
        planned_(std::max(planned, 2)),
        bar_(bar) {}

  /// Solved to a thousandth: it is an estimate from a handful of blocks.
  double detectable() const {
    if (spread_ <= 0) return bar_.least;
    double low = bar_.least;
    double high = bar_.least + spread_;
    while (chance(high) < wanted_power) {
      low = high;
      high *= 2;
    }
    while (high > 1.001 * low) {
      const double effect = std::sqrt(low * high);
      (chance(effect) < wanted_power ? low : high) = effect;
    }
    return high;
  }

 private:
  /// Made a candidate by the screening, then confirmed.
  double chance(double effect) const {
    const double error = spread_ / std::sqrt(screened_);
    const double degrees = screened_ - 1;
    const double suspicious =
        1 - stats::t_upper_tail((effect - suspicious_share * bar_.least) / error, degrees);
    const double candidate =
        std::max(stats::t_test_power(effect, error, degrees, screening_level / 2), suspicious);
    return candidate * chance_to_find(effect, spread_ / std::sqrt(planned_), planned_ - 1,
                                      bar_.alpha, bar_.least, bar_.strict);
  }

  double spread_;
  double screened_;
  double planned_;
  Bar bar_;
};

/// Confirmation blocks with which a change of the threshold's size is significant, and lies so far
/// from 0 that its 95 % interval would pass the threshold from twice the distance.
std::optional<std::size_t> blocks_needed(double spread, const Bar& bar) {
  const double tail = std::min(bar.alpha / 2, 0.025);
  const auto needed = stats::units_to_detect(bar.least, spread, 1, 1, tail, wanted_power);
  if (needed > most_blocks) return std::nullopt;
  return needed;
}

/// The blocks that a case is judged on.
struct Judged {
  Blocks blocks;
  Blocks all;  ///< with those that were disturbed
  bool confirmed = false;
};

Judged judged_blocks(const BlockCase& c) {
  const bool confirmed = c.confirmation.size() >= least_blocks;
  const Blocks& all = confirmed ? c.confirmation : c.screening;
  return {undisturbed(all), all, confirmed};
}

/// The side whose processes all report exactly the same times, which no timer does; empty if there
/// is none.
std::string repeated_side(const std::vector<Judged>& all) {
  for (const auto& [arm, name] :
       {std::pair{&BlockCase::Block::base, "base"}, {&BlockCase::Block::new_side, "new side"}}) {
    const bool same = std::ranges::all_of(all, [&, arm = arm](const Judged& of_case) {
      return std::ranges::all_of(of_case.all, [&](const auto& block) {
        const double first = (of_case.all.front().*arm)[0];
        return (block.*arm)[0] == first && (block.*arm)[1] == first;
      });
    });
    if (same && !all.empty()) return name;
  }
  return "";
}

double median_of(const Blocks& blocks, Visits BlockCase::Block::*arm) {
  return stats::median(values_of(blocks, [&](const auto& block) { return middle(block.*arm); }));
}

/// "3 of 12 blocks were disturbed and left out (1 by the base, 2 by the new side)": by the arm that
/// was further from where it was in the other blocks.
std::string left_out(const Judged& judged) {
  const double base = median_of(judged.blocks, &BlockCase::Block::base);
  const double new_side = median_of(judged.blocks, &BlockCase::Block::new_side);
  const auto furthest = [](const Visits& visits, double from) {
    return std::max(std::abs(visits[0] - from), std::abs(visits[1] - from));
  };
  std::size_t by_new = 0;
  std::size_t kept = 0;
  for (const auto& block : judged.all) {
    const bool stays = kept < judged.blocks.size() && judged.blocks[kept] == block;
    kept += stays ? 1 : 0;
    if (stays) continue;
    by_new += furthest(block.new_side, new_side) > furthest(block.base, base) ? 1 : 0;
  }
  const auto out = judged.all.size() - judged.blocks.size();
  return fmt::format(
      "{} of {} blocks {} disturbed and left out ({} because of the base, {} because of the new "
      "side)",
      out, judged.all.size(), out == 1 ? "was" : "were", out - by_new, by_new);
}

/// A change that comes and goes looks like a disturbance. So blocks that were left out may keep a
/// case from becoming a regression, but they never make it unchanged.
void doubt_if_all_disagree(const Judged& judged, CaseComparison& result) {
  const bool cleared = result.verdict == Verdict::unchanged || result.verdict == Verdict::small;
  if (!cleared || judged.all.size() == judged.blocks.size()) return;
  const double least = std::log1p(result.threshold);
  if (stats::p_equivalent(change_of(judged.all), -least, least) < equivalence_level) return;
  result.verdict = Verdict::inconclusive;
  result.reason = "with the disturbed blocks, the change is different: it may come and go";
}

CaseComparison first_words(const BlockCase& c, const Judged& judged,
                           const CompareOptions& options) {
  const Blocks& blocks = judged.blocks;
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
    result.reason = fmt::format("fewer than {} complete blocks were measured", least_blocks);
  }
  if (blocks.empty()) return result;
  result.base_s = mean_seconds(blocks, &BlockCase::Block::base);
  result.new_s = mean_seconds(blocks, &BlockCase::Block::new_side);
  result.change = {result.new_s / result.base_s - 1};
  if (blocks.size() < least_blocks) return result;
  if (judged.all.size() > blocks.size()) result.warnings.push_back(left_out(judged));
  const auto control = control_of(blocks);
  if (stats::p_different(control, 0) < control_level) {
    result.warnings.push_back(fmt::format(
        "within a block, two measurements of the base differ by {:.2f} %: the machine drifts",
        100 * std::abs(control.mean)));
  }
  return result;
}

}  // namespace

bool may_have_changed(double p, double change, double threshold) {
  return p < screening_level || std::abs(change) >= suspicious_share * std::log1p(threshold);
}

bool is_candidate(const BlockCase& c, const CompareOptions& options) {
  if (!c.failed.empty() || c.screening.size() < least_blocks) return false;
  const auto suspicious = [&](const Blocks& blocks) {
    const auto change = change_of(blocks);
    return may_have_changed(stats::p_different(change, 0), change.mean,
                            threshold_of(options, c.threshold));
  };
  return suspicious(undisturbed(c.screening)) || suspicious(c.screening);
}

Comparison judge_blocks(const std::vector<BlockCase>& cases, const CompareOptions& options,
                        int planned) {
  Comparison comparison;
  comparison.method = CompareMethod::blocks;
  comparison.options = options;
  std::vector<Evidence> evidence;
  std::vector<Judged> judged;
  for (const auto& c : cases) {
    auto of_case = judged_blocks(c);
    comparison.cases.push_back(first_words(c, of_case, options));
    if (!c.failed.empty() || of_case.blocks.size() < least_blocks) continue;
    const auto index = comparison.cases.size() - 1;
    const auto change = change_of(of_case.blocks);
    evidence.push_back({index, change, of_case.confirmed});
    judged.push_back(std::move(of_case));
  }
  if (const auto side = repeated_side(judged); !side.empty()) {
    comparison.notes.push_back(
        fmt::format("all processes of the {} printed the same digits in {}: the command seems to "
                    "print old results instead of measuring",
                    side, text::counted(judged.size(), "case")));
  }
  judge(evidence, comparison);
  const auto family = std::ranges::count(evidence, true, &Evidence::in_family);
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    auto& result = comparison.cases[evidence[i].index];
    // Had a dropped case changed, it would have been one candidate more.
    const auto tests = family + (evidence[i].in_family ? 0 : 1);
    const Bar bar{options.alpha / static_cast<double>(tests), std::log1p(result.threshold),
                  options.strict};
    if (!evidence[i].in_family)
      result.detectable = detectable_share(BothStages(judged[i].blocks, planned, bar).detectable());
    doubt_if_all_disagree(judged[i], result);
    if (result.verdict == Verdict::inconclusive)
      result.units_needed = blocks_needed(spread_of(judged[i].blocks), bar);
  }
  return comparison;
}

}  // namespace apod::judge
