#pragma once

/// \file
/// Which commit made a case slower: what to measure next, and what follows from it. Knows nothing
/// of git, of builds or of how a block is measured. Commits are numbers: 0 is the good end.

#include <cstddef>
#include <functional>
#include <optional>

#include "benchmarks/base/bisection.hpp"
#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/judge/blocks.hpp"

namespace apod::judge {

struct BisectionRule {
  double threshold = 0.02;  ///< a share: a smaller change between the ends is not looked for
  double error = 0.05;      ///< of each decision, see sequential.hpp
  std::size_t most_end_blocks = 40;  ///< undecided ends are given up after so many
  /// An undecided commit is taken to be on the side of its estimate after so many. It lies halfway
  /// between the ends, so that there is a change on either side of it.
  std::size_t most_blocks = 12;
};

/// What came of an attempt to measure a block.
struct BlockAttempt {
  std::optional<BlockCase::Block> block;
  std::optional<std::size_t> unusable;  ///< this commit does not build or run
  /// Neither: the user wants to stop.
};

/// What came of an attempt to confirm a change.
struct ConfirmAttempt {
  std::optional<Estimate> change;       ///< with its 95 % interval
  std::optional<std::size_t> unusable;  ///< this commit does not build any more
  /// Neither: the user wants to stop.
};

/// What a search asks for.
struct BisectionHooks {
  /// A block of two commits, the first of them as its base.
  std::function<BlockAttempt(std::size_t base, std::size_t commit)> measure;
  /// Fresh blocks of two commits: the change between them.
  std::function<ConfirmAttempt(std::size_t before, std::size_t after)> confirm;
  /// Whether two commits have the same machine code; absent: not known of any.
  std::function<bool(std::size_t a, std::size_t b)> identical = {};
  /// Something was decided of a commit, or it is skipped.
  std::function<void(const Bisection& so_far, std::size_t commit)> decided = [](auto&, auto) {};
};

/// Searches between commit 0 and `last`, which must be 1 or more. Texts and comparisons of the
/// outcome are left to the caller.
///
/// A commit is decided against the base by decide(), at half of the change between the ends; the
/// noise is pooled over the whole search: blocks of the same pair around their mean, and the two
/// visits of an arm. Where the search ends, `confirm` measures the two neighbours against each
/// other. A commit that can't be built again for that is skipped, and the search goes on. If the
/// two do not differ, a turn was wrong: what is known of both is forgotten, the second time of the
/// ends too, and the search goes on. If they do, and less than the change between the ends may be
/// explained by it, both parts are searched in the same way.
///
/// A block is left out as disturbed when the two visits of an arm disagree by more than five robust
/// standard deviations of all disagreements: that says nothing of the difference between the arms.
Bisection bisect(std::size_t last, const BisectionRule& rule, const BisectionHooks& hooks);

}  // namespace apod::judge
