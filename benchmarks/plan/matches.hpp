#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/base/experiment.hpp"

namespace apod::plan {

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

}  // namespace apod::plan
