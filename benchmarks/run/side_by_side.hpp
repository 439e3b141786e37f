#pragma once

/// \file
/// Builds, or values of an axis, measured in turn by fresh processes: the blocks of
/// compare/blocks.hpp, from the first slot to the Comparison.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/comparison.hpp"
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
  /// "the comparison took 2 min 38 s, more than the budget of 2 min: ..."; empty if it is kept.
  std::string overrun(const std::string& takes, double seconds) const;

  /// Without a budget, for a report to say that the budget allowed fewer.
  int usual_screening() const { return screening_for(confirmation_); }
  int usual_confirmation() const { return confirmation_; }

 private:
  int confirmation_;
  int most_;  ///< blocks of confirmation
  std::optional<double> budget_s_;
};

/// One of the things that are compared: a program, and the arguments that only it gets.
struct Arm {
  std::string label;
  std::string program;
  std::vector<std::string> arguments;  ///< {"--set", "streams=4"}
  std::string value;                   ///< of the axis `by`; empty for builds
};

/// The program of an arm plans the experiment, and refuses to run it.
struct Refusal : std::runtime_error {
  Refusal(const std::string& message, std::string arm, std::string errors)
      : std::runtime_error(message), label(std::move(arm)), told(std::move(errors)) {}
  std::string label;  ///< of the arm
  std::string told;   ///< the program's message
};

struct SideBySideOptions {
  std::vector<Arm> arms;               ///< two or more; each is judged against the one before
  std::string by;                      ///< the axis in which the arms differ; empty: builds
  std::vector<std::string> arguments;  ///< for every slot: {"--config", "x.yaml", ...}
  std::vector<std::string> suspects;   ///< confirm these cases without screening; empty: screen all
  bool changed = false;                ///< of builds: run only the cases whose code differs, or may
  std::optional<int> blocks{};     ///< of confirmation; nothing: as usual, or as the budget buys
  std::optional<double> budget_s;  ///< for everything
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();  ///< of its clock
  std::uint64_t seed = 0;  ///< of the order of arms and cases
  CompareOptions compare;
};

struct SideBySideListener {
  std::function<void(const std::string&)> message = [](auto&) {};
  /// The number of slots of the whole comparison, as far as it is known.
  std::function<void(std::size_t)> slots = [](auto) {};
  /// A slot begins, and ends well: "screening, block 2 of 5", and the arm's label.
  std::function<void(const std::string& stage, const std::string& arm)> begun = [](auto&, auto&) {};
  std::function<void(const std::string& stage, const std::string& arm)> finished = begun;
  std::function<bool()> cancelled = [] { return false; };
};

/// Screening, confirmation of the candidates, verdicts, and a traced run of what changed. With
/// `suspects` (of builds) only the confirmation; a suspect that an arm does not have is
/// `inconclusive`. With `changed` a traced run of both builds comes first, and cases in which
/// nothing has changed are `identical` and not run. A slot that fails is tried once more; a note
/// says so. Throws std::runtime_error if a program can't be started, refuses the experiment, or
/// gives no result in the first block; a refusal is a Refusal. After a later failure or a
/// cancellation the comparison covers the complete blocks before it, and says `failure` or
/// `interrupted`.
Comparison compare_side_by_side(const SideBySideOptions& options,
                                const SideBySideListener& listener);

}  // namespace apod::run
