#pragma once

/// \file
/// Two or more arms measured side by side in blocks -> Comparison. An arm is a build, or a value of
/// an axis; a block visits every arm twice, in a random order and then in the reverse of it (ABBA
/// or BAAB with two arms), so that a drift that is linear over the block cancels out.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/base/comparison.hpp"
#include "benchmarks/base/side.hpp"

namespace apod::judge {

/// A case that may have changed is measured again: one whose p in the screening is below this,
constexpr double screening_level = 0.10;
/// or whose estimate there is at least this share of its threshold: where the times vary so much
/// that no p is small, a large change must not be dropped.
constexpr double suspicious_share = 0.5;
constexpr int screening_blocks = 5;
constexpr int confirmation_blocks = 12;
/// With two blocks that happen to agree anything would be significant.
constexpr std::size_t least_blocks = 3;

/// ln seconds of one case in one block: its first and second visit to an arm.
using Visits = std::array<double, 2>;

inline double middle(const Visits& visits) {
  return (visits[0] + visits[1]) / 2;
}

/// One case of one step (base arm -> new arm). Blocks in which a visit is missing are left out by
/// whoever fills this.
struct BlockCase {
  std::string name;
  struct Block {
    Visits base;      ///< ln s
    Visits new_side;  ///< ln s
    /// (ln B1 + ln B2) / 2 - (ln A1 + ln A2) / 2.
    double difference() const { return middle(new_side) - middle(base); }
    bool operator==(const Block&) const = default;
  };
  std::vector<Block> screening;
  std::vector<Block> confirmation;  ///< fresh blocks; empty where it was not a candidate
  std::string failed;               ///< why it can't be judged; empty: it can
  double threshold = 0;             ///< its own; 0: the comparison's
};

/// A value of each block.
template <class Value>
std::vector<double> values_of(const std::vector<BlockCase::Block>& blocks, Value value) {
  std::vector<double> values;
  for (const auto& block : blocks) values.push_back(value(block));
  return values;
}

/// Whether a first look says that a case may have changed: p < screening_level (two-sided, not
/// adjusted), or an estimate of at least suspicious_share of its threshold. `change` is of ln time;
/// `threshold` is a share.
bool may_have_changed(double p, double change, double threshold);

/// Whether the screening says so, with or without its disturbed blocks. False for fewer than
/// least_blocks.
bool is_candidate(const BlockCase& c, const CompareOptions& options);

/// Judges candidates on their confirmation alone, which knows nothing of how they were chosen, with
/// Holm over the candidates; every other case on its screening, which can make it `unchanged` or
/// `inconclusive`. Disturbed blocks (undisturbed.hpp) are left out with a warning; a case that is
/// `unchanged` or `small` only without them is `inconclusive`. The estimate of a block is
/// Block::difference, with a t interval over blocks. The control ln A1 - ln A2 comes for free: a
/// warning says where it is not around 0. The caller adds the causes.
///
/// `detectable` of a case that the screening dropped is the change that passes both stages, the
/// second with `planned` blocks of confirmation (at least two). `units_needed` is the number of
/// blocks with which a change of the threshold's size is significant with wanted_power. A change of
/// twice the threshold is then called a regression, with --strict too. A change of exactly the
/// threshold is called one half of the time, however many blocks there are: its estimate falls on
/// either side of the threshold.
Comparison judge_blocks(const std::vector<BlockCase>& cases, const CompareOptions& options,
                        int planned = confirmation_blocks);

}  // namespace apod::judge
