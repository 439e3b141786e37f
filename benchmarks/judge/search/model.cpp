#include <algorithm>
#include <unordered_set>

#include "benchmarks/judge/search/strategy.hpp"
#include "benchmarks/judge/search/trees.hpp"

namespace apod::search {
namespace {

constexpr std::size_t most_scanned = 4000;  ///< rows that a process chooses among
constexpr std::size_t least_by_chance = 8;
constexpr std::size_t around = 6;  ///< the best rows: their neighbours are scanned in any case

/// Each row of a process is the best by a model of its own, which has learnt from its own sample of
/// the looks: so they explore as far as the looks leave open what is best.
class Model final : public Strategy {
 public:
  Model(const plan::Space& space, std::uint64_t seed, std::size_t looks)
      : space_(space),
        random_(seed),
        by_chance_(std::min(3 * space.dimensions() + 10, std::max(least_by_chance, looks / 2))) {}

  std::vector<RowIndex> ask(const Looks& looks, std::size_t most) override {
    auto rest = candidates(looks);
    const auto looked = looks.rows().size();
    most = std::min(
        {most, rest.size(), looked < by_chance_ ? by_chance_ - looked : rows_of_a_process});
    if (looked < by_chance_ || looks.ranked().size() < 3) {
      rest.resize(most);
      return rest;
    }
    // How bad a bad row is doesn't matter, and would bend what is said of the good ones. A row that
    // failed is a bad one: so are its neighbours, probably.
    const auto ranked = looks.ranked();
    const double cut = ranked[ranked.size() / 2].mean;
    std::vector<Levels> levels;
    for (const auto& row : looks.rows()) levels.push_back(space_.at(row.row));
    std::vector<Seen> seen;
    for (const auto& row : looks.rows())
      seen.push_back({&levels[seen.size()], row.failed() ? cut : std::min(row.mean, cut)});
    std::vector<Levels> at;
    for (const auto row : rest) at.push_back(space_.at(row));
    std::vector<RowIndex> rows;
    while (rows.size() < most) {
      const auto values = expected(space_, seen, at, random_);
      const auto best = std::min_element(values.begin(), values.end()) - values.begin();
      rows.push_back(rest[static_cast<std::size_t>(best)]);
      rest.erase(rest.begin() + best);
      at.erase(at.begin() + best);
    }
    return rows;
  }

 private:
  /// Rows that were not looked at, each once: by chance, then neighbours of the best.
  std::vector<RowIndex> candidates(const Looks& looks) {
    auto rows = drawn(space_.size(), most_scanned, random_);
    std::unordered_set<RowIndex> known(rows.begin(), rows.end());
    for (const auto row : best(looks, around)) {
      for (const auto one : space_.neighbours(row)) {
        if (known.insert(one).second) rows.push_back(one);
      }
    }
    std::erase_if(rows, [&](RowIndex row) { return looks.has(row); });
    return rows;
  }

  const plan::Space& space_;
  std::mt19937_64 random_;
  std::size_t by_chance_;  ///< rows before the first model: at most half of the looks
};

}  // namespace

std::unique_ptr<Strategy> make_model(const plan::Space& space, std::uint64_t seed,
                                     std::size_t looks) {
  return std::make_unique<Model>(space, seed, looks);
}

}  // namespace apod::search
