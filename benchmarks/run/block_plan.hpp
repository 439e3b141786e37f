#pragma once

/// \file
/// How many blocks a side-by-side measurement takes.

#include <optional>
#include <string>

#include "benchmarks/judge/blocks.hpp"

namespace apod::run {

/// The number of screening blocks for a number of confirmation blocks: 5 for 12, and more in that
/// ratio. It is below 5 only if fewer are asked for: five are barely enough to decide what the
/// screening drops.
int screening_for(int confirmation);

/// The numbers of blocks: the requested ones, as many as fit into a budget, or the requested ones
/// as far as they fit. Each stage gets three blocks, whatever the budget.
class BlockPlan {
 public:
  /// `confirmation`: the requested number, three or more.
  explicit BlockPlan(std::optional<int> confirmation = std::nullopt,
                     std::optional<double> budget_s = std::nullopt)
      : confirmation_(confirmation.value_or(judge::confirmation_blocks)),
        most_(budget_s && !confirmation ? static_cast<int>(most_blocks) : confirmation_),
        budget_s_(budget_s) {}

  /// All screening blocks, given that the first `done` took `screening_s`: as many as fit into the
  /// screening's share of the budget. At least `done`.
  int screening(int done, double screening_s) const;
  /// All confirmation blocks, given that `done` of them are finished, that `elapsed_s` have passed
  /// in all, and that one takes `block_s`: as many as fit into the rest, with room for a traced run
  /// of what changed. At least `done`.
  int confirmation(int done, double elapsed_s, double block_s) const;
  /// Whether one more screening block fits into a budget, and after it three of confirmation if
  /// there are candidates, each of them taking `share` of a screening block. False without a
  /// budget.
  bool may_screen_on(int done, double elapsed_s, double block_s, double share) const;
  /// Whether something that takes `seconds` fits into the rest. True without a budget.
  bool fits(double elapsed_s, double seconds) const;
  /// "the comparison took 2 min 38 s, more than its budget of 2 min: ..."; empty if it was kept.
  std::string overrun(double elapsed_s) const;

  /// Without a budget, for a report to say that the budget allowed fewer.
  int usual_screening() const { return screening_for(confirmation_); }
  int usual_confirmation() const { return confirmation_; }

 private:
  int confirmation_;
  int most_;  ///< blocks of confirmation
  std::optional<double> budget_s_;
};

}  // namespace apod::run
