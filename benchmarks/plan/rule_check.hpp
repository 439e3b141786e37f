#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/base/diagnostic.hpp"
#include "benchmarks/base/plan.hpp"

namespace apod::plan {

/// Finds the rules of `expect` that apply to no case, because nothing else would report them.
class RuleCheck {
 public:
  /// Before the filter, for each experiment in turn: a rule that selects none of its `cases` (one
  /// or more) is a mistake in the file, with a diagnostic that shows the existing values, unless
  /// something removed cases that it may have meant.
  void before_filter(const Experiment& experiment, const std::string& file,
                     std::span<const Case> cases, Diagnostics& diagnostics);

  /// After the filter: what selected a case before, and what rests on cases that are skipped.
  void after_filter(const Plan& plan);

  /// "2 expect rules select no case of this run (--filter)": one line for each cause.
  std::vector<std::string> notes() const;

 private:
  std::map<Narrowing, std::size_t> idle_;  ///< cause -> rules
  std::size_t on_skipped_ = 0;  ///< rules that select only skipped cases, while other cases run
  std::size_t without_baseline_ = 0;  ///< cases that run, but whose baseline is skipped
  std::vector<std::vector<bool>> selected_before_;  ///< the rules, by experiment
};

}  // namespace apod::plan
