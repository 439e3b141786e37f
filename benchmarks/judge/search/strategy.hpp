#pragma once

/// \file
/// Which rows of a space to look at next. A strategy is asked for rows and told what came of them;
/// it does nothing else, so that it can be tried on formulas. With the same seed and the same
/// answers it asks for the same rows.

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "benchmarks/judge/search/looks.hpp"
#include "kernels/api/types.hpp"

namespace apod::search {

/// `race`: all rows, or as many as the budget allows, are looked at once, the better half again,
/// and so on. `model`: a Gaussian process says where a row is likely to be better than the best.
enum class StrategyKind : std::uint8_t { race, model };

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// The rows of the next process, each once: at most `few` (two or more) where a strategy learns
  /// from them, else at most `most`. `looks` are all answers so far, `running` rows whose answers
  /// are to come. None: it has seen enough, or waits for these.
  virtual std::vector<RowIndex> ask(const Looks& looks, const std::vector<RowIndex>& running,
                                    std::size_t few, std::size_t most) = 0;
};

/// `looks`: how many the budget allows, about. The space must outlive the strategy.
std::unique_ptr<Strategy> make_strategy(StrategyKind kind, const plan::Space& space,
                                        std::uint64_t seed, std::size_t looks);

/// `count` rows of so many by chance, or all; none twice.
std::vector<RowIndex> drawn(std::size_t size, std::size_t count, std::mt19937_64& random);

}  // namespace apod::search

namespace apod {
template <>
struct EnumNames<search::StrategyKind> {
  static constexpr std::array<std::string_view, 2> names{"race", "model"};
};
}  // namespace apod
