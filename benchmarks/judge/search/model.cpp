#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <unordered_set>

#include "benchmarks/judge/search/gaussian_process.hpp"
#include "benchmarks/judge/search/strategy.hpp"

namespace apod::search {
namespace {

constexpr std::size_t most_observations = 600;  ///< their cube is the time of a fit
constexpr std::size_t most_candidates = 3000;
constexpr std::size_t around = 6;  ///< rows whose neighbours are candidates
/// Where no row is expected to be better by this, in ln, half of the rows of a process are drawn by
/// chance, in case the model is wrong; after so many such processes in a row the search is over.
constexpr double worth_it = 5e-4;
constexpr int idle_most = 16;
/// Lengths are learnt again when there are so much more rows.
constexpr double learn_again = 1.15;

/// Expected improvement on `best` (Jones, Schonlau & Welch 1998, "Efficient global optimization of
/// expensive black-box functions", eq. 15).
double expected_improvement(double best, const GaussianProcess::Prediction& there) {
  if (there.deviation <= 0) return std::max(best - there.mean, 0.0);
  const double z = (best - there.mean) / there.deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  return there.deviation * (z * below + density);
}

class Model final : public Strategy {
 public:
  Model(const plan::Space& space, std::uint64_t seed)
      : space_(space), random_(seed), positions_(space), process_(positions_) {}

  std::vector<RowIndex> ask(const Looks& looks, std::size_t most) override {
    std::vector<RowIndex> rows;
    const auto begin = std::min<std::size_t>(3 * space_.dimensions() + 10, space_.size());
    if (looks.rows().size() < begin || looks.ranked().size() < 3) {
      add_random(
          looks,
          std::min(most, std::max<std::size_t>(begin - std::min(begin, looks.rows().size()), 2)),
          rows);
      return rows;
    }
    fit(looks);
    const auto best =
        std::min_element(looked_.begin(), looked_.end(),
                         [](const auto& a, const auto& b) { return a.mean < b.mean; });
    auto rest = candidates(looks);
    std::vector<std::vector<double>> at;
    for (const auto row : rest) at.push_back(positions_.of(row));
    GaussianProcess::Candidates there(process_, std::move(at));
    double most_expected = 0;
    const auto wanted = idle_ > 0 ? (most + 1) / 2 : most - 1;
    while (rows.size() < wanted && rows.size() < rest.size()) {
      std::size_t chosen = rest.size();
      double largest = -1;
      for (std::size_t i = 0; i < rest.size(); ++i) {
        if (taken(rows, rest[i])) continue;
        const double expected = expected_improvement(best->mean, there.prediction(i));
        if (expected > largest) {
          largest = expected;
          chosen = i;
        }
      }
      if (chosen == rest.size()) break;
      most_expected = std::max(most_expected, largest);
      there.choose(chosen);
      rows.push_back(rest[chosen]);
    }
    idle_ = most_expected < worth_it ? idle_ + 1 : 0;
    if (rows.empty() || idle_ >= idle_most) return {};
    add_random(looks, most - 1, rows);
    // The best so far in each process: luck does not keep it at the top.
    rows.push_back(best->row);
    return rows;
  }

  std::vector<RowIndex> best(const Looks& looks, std::size_t count) const override {
    if (looked_.empty()) return Strategy::best(looks, count);
    // A row whose look was luckier than those around it is drawn towards them.
    auto rows = looked_;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.mean < b.mean; });
    std::vector<RowIndex> best;
    for (const auto& row : rows) {
      const auto* seen = looks.find(row.row);
      if (best.size() < count && seen != nullptr && !seen->failed()) best.push_back(row.row);
    }
    return best;
  }

 private:
  struct Looked {
    RowIndex row;
    double mean;  ///< by the process
  };

  static bool taken(const std::vector<RowIndex>& rows, RowIndex row) {
    return std::find(rows.begin(), rows.end(), row) != rows.end();
  }

  void add_random(const Looks& looks, std::size_t count, std::vector<RowIndex>& rows) {
    std::uniform_int_distribution<std::size_t> any(0, space_.size() - 1);
    for (std::size_t tries = 0; rows.size() < count && tries < 100 * count; ++tries) {
      const auto row = static_cast<RowIndex>(any(random_));
      if (!looks.has(row) && !taken(rows, row)) rows.push_back(row);
    }
  }

  void fit(const Looks& looks) {
    auto rows = looks.ranked();
    const double worst = rows.back().mean;
    // A row that failed is as bad as the worst: so are its neighbours, probably.
    for (const auto& row : looks.rows()) {
      if (row.failed()) rows.push_back({.row = row.row, .looks = row.looks, .mean = worst});
    }
    // Of too many the better ones, where it matters.
    if (rows.size() > most_observations) rows.resize(most_observations);
    std::vector<Observation> observations;
    for (const auto& row : rows) {
      observations.push_back({positions_.of(row.row), row.mean, static_cast<double>(row.looks)});
    }
    const bool learn =
        static_cast<double>(rows.size()) >= learn_again * static_cast<double>(learnt_);
    if (learn) learnt_ = rows.size();
    process_.fit(std::move(observations), learn);
    looked_.clear();
    for (const auto& row : looks.ranked()) {
      if (looked_.size() == most_observations) break;
      looked_.push_back({row.row, process_.predict(positions_.of(row.row)).mean});
    }
  }

  /// All rows that were not looked at, or of many those around the best and some by chance.
  std::vector<RowIndex> candidates(const Looks& looks) {
    std::vector<RowIndex> rows;
    if (space_.size() <= most_candidates) {
      for (std::size_t row = 0; row < space_.size(); ++row) {
        if (!looks.has(static_cast<RowIndex>(row))) rows.push_back(static_cast<RowIndex>(row));
      }
      return rows;
    }
    std::unordered_set<RowIndex> known;
    const auto add = [&](RowIndex row) {
      if (rows.size() < most_candidates && !looks.has(row) && known.insert(row).second) {
        rows.push_back(row);
      }
    };
    for (const auto row : best(looks, around)) {
      const auto near = space_.neighbours(row);
      for (const auto one : near) add(one);
      for (std::size_t i = 0; i < near.size(); ++i) {
        const auto further = space_.neighbours(near[random_() % near.size()]);
        if (!further.empty()) add(further[random_() % further.size()]);
      }
    }
    std::vector<RowIndex> others;
    add_random(looks, std::min(most_candidates / 2, space_.size() / 2), others);
    for (const auto row : others) add(row);
    return rows;
  }

  const plan::Space& space_;
  std::mt19937_64 random_;
  Positions positions_;
  GaussianProcess process_;
  std::size_t learnt_ = 0;  ///< rows when lengths were learnt last
  std::vector<Looked> looked_;
  int idle_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_model(const plan::Space& space, std::uint64_t seed) {
  return std::make_unique<Model>(space, seed);
}

}  // namespace apod::search
