#pragma once

/// \file
/// The space of a search: the points of an experiment's axes that are valid, by number. A plan has
/// a Case for each; a space of ten million has eight bytes for each.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/experiment.hpp"
#include "benchmarks/plan/expand.hpp"
#include "benchmarks/plan/points.hpp"

namespace apod::plan {

/// More valid points are refused.
constexpr std::size_t most_points = 10'000'000;

/// The axes that say which problem is solved, so that their values can't be better or worse: those
/// of the workload, or those that arrays and reference of a kernel file depend on. None of a
/// command, whose axes mean whatever it likes. Only axes that the experiment names.
std::vector<std::string> problem_axes(const Experiment& experiment, const Registry& registry);

/// The experiment once for each combination of the values of `axes`, with one value each. Axes of a
/// zip stay together. An axis that the experiment does not name is a std::invalid_argument.
std::vector<Experiment> split_by(const Experiment& experiment,
                                 const std::vector<std::string>& axes);

/// One row of a space; rows have the order of the cases of a plan.
using RowIndex = std::uint32_t;

class Space {
 public:
  /// Counts the points that `where` and `exclude` keep and that can be launched here. What is wrong
  /// goes to `diagnostics`: an expression that can't be evaluated, no valid point, more than
  /// most_points of them, `include`. The space is empty then.
  Space(const Experiment& experiment, const Registry& registry, const ExpandOptions& options,
        const std::string& file, Diagnostics& diagnostics);
  /// The points of its axes that a function keeps, at most most_points.
  Space(const Experiment& experiment, const std::function<bool(const Params&)>& keeps);

  std::size_t size() const { return points_.size(); }
  /// The product of all axes.
  Count product() const { return product_; }
  /// "where leaves out 3 of 12 points", one for each cause.
  const std::vector<std::string>& notes() const { return notes_; }

  /// Axes that are zipped are one dimension. `levels` are positions in its values.
  std::size_t dimensions() const { return experiment_.groups.size(); }
  std::size_t levels(std::size_t dimension) const { return experiment_.groups[dimension].size(); }
  std::string name(std::size_t dimension) const;
  /// "32" or "32, pinned".
  std::string level_text(std::size_t dimension, std::size_t level) const;
  /// Whether its values are numbers, so that neighbours are alike.
  bool is_ordered(std::size_t dimension) const;
  /// Of an ordered dimension: 0 to 1 by the logarithm of its values where all are positive.
  double coordinate(std::size_t dimension, std::size_t level) const;

  std::vector<std::uint32_t> at(RowIndex row) const;
  /// The row at these levels, if it is valid.
  std::optional<RowIndex> find(std::span<const std::uint32_t> levels) const;
  /// The valid rows that differ from it in one dimension.
  std::vector<RowIndex> neighbours(RowIndex row) const;
  /// Every axis that its variant has, with its value, defaults included.
  Params params(RowIndex row) const;
  /// at(row), with levels(d) where its variant has none of the axes of the dimension.
  std::vector<std::uint32_t> known(RowIndex row) const;
  /// Of axes with several values, those that its variant has: "block 32, TILE 4".
  std::string label(RowIndex row) const;
  /// The row with these values of all axes that its variant has, if it is valid. Further values
  /// don't count.
  std::optional<RowIndex> row_of(const Params& values) const;
  /// The first row that has as many of these values as any.
  RowIndex nearest(const Params& values) const;

  /// Leaves the rows of one of several parts of about the same size, which rows are in by a hash of
  /// their position, and the row `always`, whose number in the part it returns.
  RowIndex keep_part(std::size_t index, std::size_t count, RowIndex always);

  /// An experiment whose cases are these rows, without rules and without a baseline.
  Experiment experiment_of(std::span<const RowIndex> rows) const;

 private:
  bool lacks(const Params& values, const std::string& axis) const;

  Experiment experiment_;
  Params defaults_;
  Count product_ = 0;
  std::set<std::pair<std::string, std::string>> lacking_;  ///< variant, an axis that it lacks
  std::vector<std::uint64_t> points_;                      ///< ascending, the last group fastest
  std::vector<std::string> notes_;
};

}  // namespace apod::plan
