#pragma once

/// \file
/// The changes of all cases of two sides of files, and what they say of one another.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/judge/environment_changes.hpp"
#include "benchmarks/judge/file_estimate.hpp"
#include "benchmarks/judge/judge.hpp"
#include "benchmarks/judge/other_processes.hpp"
#include "benchmarks/judge/suite.hpp"

namespace apod::judge {

/// Where the level of a case changed among the days of the base.
struct BaseStep {
  std::uint32_t day = 0;  ///< the first of the new level
  double change = 0;      ///< of ln time
};

class FileEstimates {
 public:
  FileEstimates() = default;
  /// `pairs` are the cases that can be judged: both sides have times.
  FileEstimates(const Side& base, const Side& new_side, std::span<const CasePair> pairs,
                const CompareOptions& options);

  /// Parallel to the pairs.
  const std::vector<FileEstimate>& all() const { return estimates_; }
  const Suite& suite() const { return suite_; }
  /// Of the i-th pair, which is `index` of the comparison.
  Evidence evidence(std::size_t i, std::size_t index) const;
  /// What all cases share; absent where there are too few.
  std::optional<CommonShift> common(const CompareOptions& options) const;
  /// The last step of the i-th pair's base, by its history; absent where it has none.
  const std::optional<BaseStep>& step(std::size_t i) const { return steps_[i]; }
  /// On how the sessions lie in time.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  /// Of the shift between two sides on which nothing changed.
  stats::MeanEstimate shift() const;

  std::vector<FileEstimate> estimates_;
  std::vector<std::optional<BaseStep>> steps_;  ///< parallel to the pairs
  Suite suite_{{}};
  /// Of what all cases share, if the base's history tells it.
  stats::VarianceEstimate common_;
  bool shift_is_usual_ = false;  ///< by that history
  std::vector<std::string> notes_;
};

}  // namespace apod::judge
