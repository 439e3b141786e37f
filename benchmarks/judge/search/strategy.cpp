#include "benchmarks/judge/search/strategy.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <unordered_set>

namespace apod::search {
namespace {

/// Where no row has been looked at twice.
constexpr double usual_deviation = 0.03;
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

  std::vector<RowIndex> ask(const Looks& looks, std::size_t most) override {
    if (next_ == running_.size()) {
      halve(looks);
      if (running_.size() <= enough) return {};
    }
    most = std::min(most, rows_of_a_process);
    std::vector<RowIndex> rows;
    while (next_ < running_.size() && rows.size() < most) rows.push_back(running_[next_++]);
    return rows;
  }

 private:
  static constexpr std::size_t enough = 8;

  void halve(const Looks& looks) {
    const double deviation = looks.deviation(usual_deviation);
    std::vector<Looks::Row> rows;
    for (const auto row : running_) {
      const auto* seen = looks.find(row);
      if (seen != nullptr && !seen->failed()) rows.push_back(*seen);
    }
    std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.mean < b.mean; });
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

}  // namespace

std::vector<RowIndex> drawn(std::size_t size, std::size_t count, std::mt19937_64& random) {
  std::vector<RowIndex> rows;
  if (count >= size) {
    rows.resize(size);
    std::iota(rows.begin(), rows.end(), RowIndex{0});
    std::shuffle(rows.begin(), rows.end(), random);
    return rows;
  }
  std::unordered_set<RowIndex> taken;
  std::uniform_int_distribution<std::size_t> any(0, size - 1);
  while (rows.size() < count) {
    const auto row = static_cast<RowIndex>(any(random));
    if (taken.insert(row).second) rows.push_back(row);
  }
  return rows;
}

std::vector<RowIndex> Strategy::best(const Looks& looks, std::size_t count) const {
  // Of two rows that look alike the one with more looks is the safer choice.
  const double deviation = looks.deviation(usual_deviation);
  auto rows = looks.ranked();
  const auto careful = [&](const Looks::Row& row) {
    return row.mean + deviation / std::sqrt(static_cast<double>(row.looks));
  };
  std::ranges::stable_sort(rows,
                           [&](const auto& a, const auto& b) { return careful(a) < careful(b); });
  std::vector<RowIndex> best;
  for (const auto& row : rows) {
    if (best.size() == count) break;
    best.push_back(row.row);
  }
  return best;
}

std::unique_ptr<Strategy> make_strategy(StrategyKind kind, const plan::Space& space,
                                        std::uint64_t seed, std::size_t looks) {
  if (kind == StrategyKind::race) return std::make_unique<Race>(space, seed, looks);
  return make_model(space, seed, looks);
}

}  // namespace apod::search
