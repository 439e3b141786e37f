#pragma once

/// \file
/// A search from its first look to its finals. It measures through a function, so that it can be
/// tried on formulas, and with the same answers it takes the same way.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/tuning.hpp"
#include "benchmarks/judge/search/strategy.hpp"

namespace apod::search {

/// A look is cheap; the finals are measured as the experiment says.
enum class Care : std::uint8_t { look, full };

/// What one fresh process said of some rows.
struct Batch {
  std::vector<Answer> answers;  ///< of rows that it did not come to: none
  double seconds = 0;
  bool stopped = false;  ///< somebody asked for the end
};
/// Measures rows side by side in one fresh process.
using Measure = std::function<Batch(std::span<const RowIndex> rows, Care care)>;
/// Waits for the rows that it was given before, and prepares these in the background: compiles
/// them.
using Prepare = std::function<void(std::span<const RowIndex> rows)>;

struct SearchRequest {
  std::optional<StrategyKind> strategy{};  ///< nothing: a race if the budget has two looks a row
  std::uint64_t seed = 0;
  double budget_s = 600;  ///< for looks
  RowIndex start = 0;     ///< the default, which is looked at first
  std::size_t finalists = 8;
  Looks known{};  ///< answers of an earlier search of the same space for the same objective
  /// Prepares the next rows while others are measured, whose answers these are chosen without.
  Prepare prepare{};
};

struct Exploration {
  StrategyKind strategy = StrategyKind::model;
  Looks looks;
  std::vector<TuningStep> steps;    ///< after each process; the values are logarithms
  std::vector<RowIndex> finalists;  ///< the best first; none if every row failed
  double seconds = 0;
  bool stopped = false;
};

/// Looks at rows until the budget is used, the strategy has seen enough, or all of the first 48
/// failed.
Exploration explore(const plan::Space& space, const SearchRequest& request, const Measure& measure);

/// One of the rows that were measured again.
struct Finalist {
  RowIndex row = 0;
  std::vector<double> values;  ///< one a block of the final
  /// exp(value - that of the winner) - 1, at 99 %, however often one looks; of the winner 0.
  Estimate behind{0, 0, 0};
  bool is_worse = false;  ///< for certain
  bool failed = false;
};

struct Finals {
  std::vector<Finalist> rows;  ///< the winner first, then those it was compared with
  /// winner / default - 1; nothing if the default won or failed.
  std::optional<Estimate> gain;
  std::size_t start = 0;  ///< position of the default in `rows`
  double seconds = 0;
  bool stopped = false;
};

/// Of a budget, what looks may take: 70 %, less where the finals would have no time for their least
/// of eight measurements, which take `row_s` each, and more where they have time for all they want.
double budget_of_looks(double budget_s, double row_s);

/// Measures finalists and default again, side by side. A first stage chooses the winner and its
/// rivals, and a second one, with fresh data, says by how much it is better: so the luck that made
/// a row the winner is not in it. Empty if all fail. `row_s` is what a row takes at full care: the
/// budget has time for so many finalists and blocks.
Finals finals(const std::vector<RowIndex>& finalists, RowIndex start, double budget_s, double row_s,
              const Measure& measure);

}  // namespace apod::search
