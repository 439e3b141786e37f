#pragma once

/// \file
/// The search of an experiment: the best configuration of each shape, and one for all.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/base/tuning.hpp"
#include "benchmarks/judge/search/strategy.hpp"
#include "benchmarks/plan/space.hpp"
#include "benchmarks/run/trials.hpp"

namespace apod::run {

/// One combination of the values of the axes that are not tuned.
struct ShapeSpace {
  std::string label;
  std::vector<std::pair<std::string, AxisValue>> values;
  plan::Space space;
  plan::RowIndex start = 0;    ///< the default
  std::vector<Trial> known{};  ///< of an earlier search
};

struct ShapeRequest {
  /// One or two. The trials have these in this order; where energy is the only one, also the time.
  std::vector<std::string> objectives;
  std::optional<search::StrategyKind> strategy;
  std::uint64_t seed = 0;
  double budget_s = 600;  ///< for all shapes
  bool portable = false;  ///< also one choice for all

  bool wants_energy() const { return std::ranges::any_of(objectives, needs_energy); }
};

/// The budget has no room for a search; nothing of it is worth keeping.
struct BudgetTooShort : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Searches each shape with its part of the budget, then for the portable choice, and fills in what
/// was found. With two objectives it searches for each and for both, and the front is that of the
/// finalists. Energy takes so long that it is measured only of rows that take little time.
/// `spent_s` grows as time passes. False if it was interrupted. Throws BudgetTooShort, and
/// std::runtime_error if no worker process can be started.
bool search_shapes(const std::vector<ShapeSpace>& shapes, const ShapeRequest& request,
                   Trials& trials, double& spent_s, Tuning& tuning);

}  // namespace apod::run
