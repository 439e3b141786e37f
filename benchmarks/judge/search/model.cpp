#include <algorithm>
#include <ranges>
#include <unordered_set>

#include "benchmarks/judge/search/gaussian.hpp"
#include "benchmarks/judge/search/strategy.hpp"

namespace apod::search {
namespace {

constexpr std::size_t most_scanned = 2000;  ///< rows that a process chooses among
constexpr std::size_t around = 6;  ///< the best rows: their neighbours are scanned in any case

/// The first rows lie far apart; then a Gaussian process says where a row is likely to be better.
class Model final : public Strategy {
 public:
  Model(const plan::Space& space, std::uint64_t seed, std::size_t looks)
      : space_(space),
        random_(seed),
        expects_(space),
        apart_(std::min(space.dimensions() + 6, std::max<std::size_t>(8, looks / 2))) {}

  std::vector<RowIndex> ask(const Looks& looks, const std::vector<RowIndex>& running,
                            std::size_t few, std::size_t most) override {
    const auto looked = looks.rows().size();
    if (looked < apart_ && !running.empty()) return {};
    auto rest = candidates(looks);
    std::erase_if(rest, [&](RowIndex row) { return std::ranges::count(running, row) > 0; });
    most = std::min(rest.size(), looked < apart_ ? std::min(most, apart_ - looked) : few);
    const auto ranked = looks.ranked();
    const bool learns = looked >= apart_ && ranked.size() >= 3;
    // How bad a bad row is doesn't matter, and would bend what is said of the good ones. A row that
    // failed is a bad one: so are its neighbours, probably.
    const double cut = learns ? ranked[ranked.size() / 2].mean : 0;
    std::vector<Seen> seen;
    for (const auto& row : looks.rows()) {
      const double value = learns && !row.failed() ? std::min(row.mean, cut) : cut;
      seen.push_back({space_.at(row.row), value});
    }
    expects_.learn(std::move(seen), random_);
    std::vector<Levels> at;
    for (const auto row : rest) at.push_back(space_.at(row));
    for (const auto row : running) at.push_back(space_.at(row));
    std::vector<RowIndex> rows;
    for (const auto i : expects_.promising(at, most, running.size())) rows.push_back(rest[i]);
    return rows;
  }

 private:
  /// Rows that were not looked at, each once: by chance, then neighbours of the best.
  std::vector<RowIndex> candidates(const Looks& looks) {
    auto rows = drawn(space_.size(), most_scanned + looks.rows().size(), random_);
    std::erase_if(rows, [&](RowIndex row) { return looks.has(row); });
    rows.resize(std::min(rows.size(), most_scanned));
    std::unordered_set<RowIndex> known(rows.begin(), rows.end());
    for (const auto& row : looks.ranked(1) | std::views::take(around)) {
      for (const auto one : space_.neighbours(row.row)) {
        if (!looks.has(one) && known.insert(one).second) rows.push_back(one);
      }
    }
    return rows;
  }

  const plan::Space& space_;
  std::mt19937_64 random_;
  Gaussian expects_;
  std::size_t apart_;  ///< rows before the first is learnt from: at most half of the looks
};

}  // namespace

std::unique_ptr<Strategy> make_model(const plan::Space& space, std::uint64_t seed,
                                     std::size_t looks) {
  return std::make_unique<Model>(space, seed, looks);
}

}  // namespace apod::search
