#include "benchmarks/judge/search/strategy.hpp"

#include <algorithm>
#include <set>

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

}  // namespace

std::vector<RowIndex> drawn(std::size_t size, std::size_t count, std::mt19937_64& random) {
  std::vector<RowIndex> rows;
  for (std::size_t row = 0; row < size && rows.size() < count; ++row) {
    if (random() % (size - row) < count - rows.size()) rows.push_back(static_cast<RowIndex>(row));
  }
  std::shuffle(rows.begin(), rows.end(), random);
  return rows;
}

std::unique_ptr<Strategy> make_race(const plan::Space& space, std::uint64_t seed,
                                    std::size_t looks) {
  return std::make_unique<Race>(space, seed, looks);
}

}  // namespace apod::search
