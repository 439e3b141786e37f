#pragma once

/// \file
/// What a search has seen so far.

#include <cmath>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <vector>

#include "benchmarks/plan/space.hpp"

namespace apod::search {

using plan::RowIndex;

/// What one process said of a row: the logarithm of what is minimised; NaN if it failed.
struct Answer {
  RowIndex row = 0;
  double value = std::numeric_limits<double>::quiet_NaN();
};

/// Answers by row.
class Looks {
 public:
  struct Row {
    RowIndex row = 0;
    std::size_t looks = 0;
    double mean = 0;     ///< NaN if a look failed: a row that is wrong once is wrong
    double squares = 0;  ///< sum of squares about the mean
    bool failed() const { return std::isnan(mean); }
  };

  void add(const Answer& answer);

  /// In the order of their first look.
  const std::vector<Row>& rows() const { return rows_; }
  const Row* find(RowIndex row) const;
  bool has(RowIndex row) const { return find(row) != nullptr; }
  /// Of rows that have not failed, the best first: by their means, to which `doubts` standard
  /// errors are added. Of two rows that look alike the one with more looks is the safer choice.
  std::vector<Row> ranked(double doubts = 0) const;
  /// Standard deviation of a single look, from rows with several; a usual one if there are fewer
  /// than three degrees of freedom.
  double deviation() const;

 private:
  std::vector<Row> rows_;
  std::unordered_map<RowIndex, std::size_t> index_;
};

}  // namespace apod::search
