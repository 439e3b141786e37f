#pragma once

/// \file
/// What all cases of a comparison say together. Most cases have not changed, so their differences
/// show what they share, which is the machine or a change that touches everything, and how far
/// apart two such sides lie where nothing changed. A group of cases that lies apart has changed
/// (stats::body_of).

#include <cstddef>
#include <span>
#include <vector>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/moderated_variance.hpp"
#include "benchmarks/base/stats/tails.hpp"
#include "benchmarks/judge/file_estimate.hpp"

namespace apod::judge {

class Suite {
 public:
  /// Where nothing but an assumption is known of the spread between sessions and there are
  /// fewest_for_prior such cases, their own differences take its place: `session_source` of these
  /// estimates becomes `suite`.
  explicit Suite(std::span<FileEstimate> estimates);

  /// Whether there are enough cases to say what they share. If not, `beyond` is the total change.
  bool speaks() const { return speaks_; }
  /// Cases that lie together; the others are a group apart.
  std::size_t body() const { return body_.size(); }
  /// Median of the body's changes, and its variance as a median of these.
  double shift() const { return shift_; }
  double shift_variance() const { return shift_variance_; }
  /// Index of the case in the middle.
  std::size_t middle() const { return middle_; }

  /// A case's change beyond what all share, with an error that is no smaller than the suite shows:
  /// - of a learnt spread, tau^2 is added to the variance, so that the median |z| is that of normal
  ///   values;
  /// - of a known one, the error is scaled if the median |z| is larger than that of normal values
  ///   by more than its standard error, 1.17 / sqrt(n).
  stats::MeanEstimate beyond(const FileEstimate& estimate) const;

  /// The least p that is believed. Processes may run in one of two modes. In a share f of the cases
  /// two processes of one session lie at least 3/4 as far apart as this change. That all processes
  /// of one side are in one mode and all of the other in the other has the chance f 2^(1 - n_b -
  /// n_n).
  double chance_of_modes(const FileEstimate& estimate) const;

 private:
  void learn(std::span<FileEstimate> estimates);
  void check_known(std::span<const FileEstimate> estimates);

  bool speaks_ = false;
  double shift_ = 0;
  double shift_variance_ = 0;
  std::size_t middle_ = 0;
  std::vector<std::size_t> body_;   ///< indices of its cases
  std::vector<double> ranges_;      ///< ascending
  stats::VarianceEstimate learnt_;  ///< tau^2
  stats::Tails learnt_tails_;
  double known_scale_ = 1;
};

}  // namespace apod::judge
