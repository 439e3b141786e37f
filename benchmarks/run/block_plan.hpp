#pragma once

/// \file
/// How many blocks a side-by-side measurement takes.

#include <optional>

#include "benchmarks/compare/blocks.hpp"

namespace apod::run {

/// Blocks of screening that go with so many of confirmation: 5 with 12, and in this ratio with
/// more. Fewer than 5 only where fewer are asked for, because five are hardly enough to judge what
/// the screening drops.
int screening_for(int confirmation);

/// The numbers of blocks: what is asked for, or what fits into a budget.
class BlockPlan {
 public:
  /// `confirmation`: what is asked for, three or more; a budget buys at most four times as many.
  explicit BlockPlan(int confirmation = compare::confirmation_blocks,
                     std::optional<double> budget_s = std::nullopt)
      : confirmation_(confirmation), budget_s_(budget_s) {}

  /// Blocks of screening in all, once `done` of them took `elapsed_s`: before the first, as many as
  /// there may be. At least `done` and three.
  int screening(int done, double elapsed_s) const;
  /// Blocks of confirmation after `screened` blocks of screening, when one of them takes `block_s`.
  /// At least three.
  int confirmation(int screened, double elapsed_s, double block_s) const;
  /// Whether the budget, if there is one, is used up and `done` blocks are enough to end with.
  bool ends(int done, double elapsed_s) const;

  /// What is asked for: a report says where a budget bought less.
  int usual_screening() const { return screening_for(confirmation_); }
  int usual_confirmation() const { return confirmation_; }

 private:
  int confirmation_;
  std::optional<double> budget_s_;
};

}  // namespace apod::run
