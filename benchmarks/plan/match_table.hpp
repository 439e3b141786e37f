#pragma once

/// \file
/// Which of up to a thousand matches each of up to 200,000 cases meets.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benchmarks/base/experiment.hpp"

namespace apod::plan {

/// Some of a list of matches, by their positions.
class MatchSet {
 public:
  /// None of `size` matches.
  explicit MatchSet(std::size_t size) : words_((size + 63) / 64, 0) {}

  bool has(std::size_t i) const { return (words_[i / 64] >> i % 64 & 1U) != 0; }
  void add(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
  void drop(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << i % 64); }
  bool empty() const;
  MatchSet& operator&=(const MatchSet& other);
  MatchSet& operator|=(const MatchSet& other);

  /// Calls visit(position) for each, in order.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (auto left = words_[w]; left != 0; left &= left - 1) {
        visit(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Works out once which conditions each value of an axis meets. A case then costs a few operations
/// on sets, however many matches there are. Only conditions that compare two axes are evaluated for
/// every case.
class MatchTable {
 public:
  /// The matches must outlive the table. Each has at most one condition on an axis. `params` may be
  /// those of any case: they show which words are names of axes.
  MatchTable(std::vector<const Match*> matches, const Params& params);

  /// The matches that hold for a case. Valid until the next call.
  const MatchSet& of(const Params& params);

  /// The matches that have held for a case so far.
  const MatchSet& met() const { return met_; }

  /// Why a match has held for no case so far.
  struct Reason {
    std::string message;  ///< "none has streams > 8", or that none meets all conditions at once
    std::string hint;     ///< "streams is 1, 2 or 4"
  };
  Reason why_not(std::size_t match);

 private:
  using OneOf = std::pair<std::size_t, const Condition*>;  ///< a match and its condition
  /// The conditions on one axis.
  struct Column {
    std::string axis;
    std::vector<std::pair<double, std::size_t>> numbers;  ///< of "== 4" and "[1, 2]", sorted
    std::vector<OneOf> others;
    std::vector<OneOf> relative;  ///< compare with another axis
    MatchSet open;                ///< matches without a condition here, or with a relative one
    MatchSet seen;                ///< matches whose condition some case has met
    std::unordered_map<AxisValue, MatchSet> rows;
    std::string values_seen;  ///< "streams is 1, 2 or 4"; empty until asked for
  };

  Column& column_of(const std::string& axis);
  const MatchSet& row(Column& column, const AxisValue& value);

  std::vector<const Match*> matches_;
  std::vector<Column> columns_;
  MatchSet all_;
  MatchSet current_;
  MatchSet met_;
};

}  // namespace apod::plan
