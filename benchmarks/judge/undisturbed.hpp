#pragma once

/// \file
/// Which blocks another process's burst has spoilt.

#include <vector>

#include "benchmarks/judge/blocks.hpp"

namespace apod::judge {

/// The blocks without those that were disturbed, in their order: at most a third of them, the worst
/// first, and none of fewer than five. A block was disturbed when
///   - the two visits of one arm disagree by more than five robust standard deviations, which is
///     what a burst in one of its slots does; or
///   - both its level and its difference lie that far from the medians of all blocks, which is what
///     a burst over both visits of one arm does. Either alone proves nothing: a machine may change
///     its clock between two blocks.
/// Robust standard deviations come from the median over blocks; for the level and the difference
/// they are no less than the visits' disagreement allows, for all three no less than 0.02 %.
///
/// Disagreement and level say nothing of the difference between the arms when the noise is gaussian
/// (they are orthogonal to it), so what is left is as good a sample of the difference as if blocks
/// had been left out by lot: its t interval keeps its level. Leaving out by the difference alone
/// would not: it takes away the spread that the interval needs.
std::vector<BlockCase::Block> undisturbed(const std::vector<BlockCase::Block>& blocks);

}  // namespace apod::judge
