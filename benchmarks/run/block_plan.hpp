#pragma once

/// \file
/// How many blocks a side-by-side measurement takes.

#include <optional>

#include "benchmarks/judge/blocks.hpp"

namespace apod::run {

/// The number of screening blocks for a number of confirmation blocks: 5 for 12, and more in that
/// ratio. It is below 5 only if fewer are asked for: five are barely enough to decide what the
/// screening drops.
int screening_for(int confirmation);

/// The numbers of blocks: what is asked for, or what fits into a budget.
class BlockPlan {
 public:
  /// `confirmation`: what is asked for, three or more; a budget buys at most four times as many.
  explicit BlockPlan(int confirmation = judge::confirmation_blocks,
                     std::optional<double> budget_s = std::nullopt)
      : confirmation_(confirmation), budget_s_(budget_s) {}

  /// All screening blocks, given that the first `done` took `elapsed_s`; with none done, the most
  /// there can be. At least `done`, and at least three.
  int screening(int done, double elapsed_s) const;
  /// Confirmation blocks after `screened` screening blocks, if one takes `block_s`. At least three.
  int confirmation(int screened, double elapsed_s, double block_s) const;
  /// All confirmation blocks of a comparison without screening, given that the first `done` took
  /// `elapsed_s`. At least `done`, and at least three.
  int confirmation_alone(int done, double elapsed_s) const;
  /// Whether the budget, if there is one, is used up and `done` blocks are enough to stop.
  bool ends(int done, double elapsed_s) const;

  /// Without a budget: a report says when the budget allowed fewer.
  int usual_screening() const { return screening_for(confirmation_); }
  int usual_confirmation() const { return confirmation_; }

 private:
  int confirmation_;
  std::optional<double> budget_s_;
};

}  // namespace apod::run
