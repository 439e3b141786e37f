#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/base/experiment.hpp"
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

/// A list of matches, checked against one case after the other. Remembers which of them, and which
/// of their conditions, some case has met.
class Matches {
 public:
  /// The matches must outlive this object.
  explicit Matches(std::vector<const Match*> matches);

  /// Whether each of the matches holds for the case. Valid until the next call.
  const std::vector<bool>& hold(const Params& params);

  /// Whether the match has held for some case so far.
  bool has_held(std::size_t match) const { return has_held_[match]; }

  /// Why a match has held for no case so far.
  struct Reason {
    std::string message;  ///< "none has streams > 8", or that none meets all conditions at once
    std::string hint;     ///< "streams is 1, 2 or 4"
  };
  Reason why_not(std::size_t match) const;

 private:
  std::vector<const Match*> matches_;
  std::vector<bool> holds_;                ///< for the last case
  std::vector<bool> has_held_;             ///< for any case
  std::vector<std::vector<bool>> is_met_;  ///< the conditions of each match, by any case
  /// Of each axis that a condition is on: the smallest values that cases have.
  std::map<std::string, std::set<AxisValue>> values_;
};

/// The expressions of an experiment, checked for each point of its axes: which points `where`
/// leaves out, and whether those of a kernel file give a valid launch. Each failing expression is
/// kept once, with the number of its cases.
class ExpressionCheck {
 public:
  explicit ExpressionCheck(const Experiment& experiment) : experiment_(experiment) {}

  /// Whether `where` leaves the case out. An expression that fails leaves nothing out, and so does
  /// one that asks for an axis which the case lacks.
  bool leaves_out(const Params& params);
  /// Why the kernels can't be launched with these values; nothing if they can.
  std::optional<std::string> refuses(const Params& params);

  /// A diagnostic for each expression that failed, and for each axis that no expression of a kernel
  /// file names. True if there is one.
  bool report_on(const std::string& file, Diagnostics& diagnostics) const;
  /// "where leaves out 3 of 12 cases of experiment 'conv'"; empty if it leaves out none.
  std::string note() const;

 private:
  struct Wrong {
    SourcePlace place;
    std::string message;
    std::string example;  ///< the axes of the first
    std::size_t count = 0;
  };
  std::vector<std::string> idle_axes() const;
  void keep(const std::string& key, SourcePlace place, const std::string& message,
            const Params& params);

  const Experiment& experiment_;
  std::map<std::string, Wrong> wrong_;
  std::size_t asked_ = 0;
  std::size_t left_out_ = 0;
  std::size_t launches_ = 0;  ///< of all points
};

}  // namespace apod::plan
