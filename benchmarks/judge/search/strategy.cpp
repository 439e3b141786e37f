#include "benchmarks/judge/search/strategy.hpp"

#include <algorithm>
#include <ranges>
#include <set>
#include <unordered_set>

#include "benchmarks/judge/search/gaussian.hpp"

namespace apod::search {
namespace {

/// A row is hopeless if its mean lies so many standard deviations of a difference above the best.
constexpr double hopeless = 4;

/// Successive halving (Karnin, Koren & Somekh 2013, "Almost optimal exploration in multi-armed
/// bandits"), in which rows that are hopeless leave at once.
class Race final : public Strategy {
 public:
  Race(const plan::Space& space, std::uint64_t seed, std::size_t looks) : random_(seed) {
    // Halves of halves: two looks a row in all.
    running_ = drawn(space.size(), std::max<std::size_t>(looks / 2, 2), random_);
  }

  std::vector<RowIndex> ask(const Looks& looks, const std::vector<RowIndex>& running,
                            std::size_t few, std::size_t /*most*/) override {
    if (next_ == running_.size()) {
      if (!running.empty()) return {};
      halve(looks);
      if (running_.size() <= enough) return {};
    }
    std::vector<RowIndex> rows;
    while (next_ < running_.size() && rows.size() < few) rows.push_back(running_[next_++]);
    return rows;
  }

 private:
  static constexpr std::size_t enough = 8;

  void halve(const Looks& looks) {
    const double deviation = looks.deviation();
    const std::set<RowIndex> ran(running_.begin(), running_.end());
    auto rows = looks.ranked();
    std::erase_if(rows, [&](const auto& row) { return !ran.contains(row.row); });
    running_.clear();
    next_ = 0;
    for (const auto& row : rows) {
      const double of_difference =
          deviation * std::sqrt(1.0 / static_cast<double>(row.looks) +
                                1.0 / static_cast<double>(rows.front().looks));
      if (running_.size() >= (rows.size() + 1) / 2) break;
      if (row.mean > rows.front().mean + hopeless * of_difference) break;
      running_.push_back(row.row);
    }
    std::shuffle(running_.begin(), running_.end(), random_);
  }

  std::mt19937_64 random_;
  std::vector<RowIndex> running_;
  std::size_t next_ = 0;
};

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

std::vector<RowIndex> drawn(std::size_t size, std::size_t count, std::mt19937_64& random) {
  std::vector<RowIndex> rows;
  for (std::size_t row = 0; row < size && rows.size() < count; ++row) {
    if (random() % (size - row) < count - rows.size()) rows.push_back(static_cast<RowIndex>(row));
  }
  std::shuffle(rows.begin(), rows.end(), random);
  return rows;
}

std::unique_ptr<Strategy> make_strategy(StrategyKind kind, const plan::Space& space,
                                        std::uint64_t seed, std::size_t looks) {
  if (kind == StrategyKind::race) return std::make_unique<Race>(space, seed, looks);
  return std::make_unique<Model>(space, seed, looks);
}

}  // namespace apod::search
