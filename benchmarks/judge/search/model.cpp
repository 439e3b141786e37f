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
constexpr std::size_t most_scanned = 20'000;    ///< rows whose mean is predicted
/// Of these the best, and as many by chance, have their improvement predicted, which takes longer.
constexpr std::size_t most_best = 500;
constexpr std::size_t best_with_neighbours = 3;
constexpr std::size_t around = 6;  ///< rows whose neighbours are scanned in a larger space
/// In case the model is wrong, a quarter of the rows of a process lies beside the best, and half
/// are drawn by chance where it expects no row to be better by this, in ln. Once such processes are
/// three of four, the search is over.
constexpr double worth_it = 5e-4;
constexpr std::size_t least_asked = 16;
constexpr double look_deviation = 0.01;  ///< of a look, where no row has been looked at twice
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
    const auto best = std::ranges::min_element(
        looked_, [](const auto& a, const auto& b) { return a.mean < b.mean; });
    auto rest = candidates(looks);
    std::vector<std::vector<double>> at;
    for (const auto row : rest) at.push_back(positions_.of(row));
    GaussianProcess::Candidates there(process_, std::move(at));
    double most_expected = 0;
    const auto wanted = is_idle_ ? (most + 1) / 2 : most - most / 4 - 1;
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
    ++asked_;
    is_idle_ = most_expected < worth_it;
    idle_ += is_idle_ ? 1 : 0;
    if (rows.empty() || 4 * idle_ > 3 * (asked_ + least_asked)) return {};
    if (!is_idle_) add_near(looks, most - 1, rows);
    add_random(looks, most - 1, rows);
    // The best so far in each process: luck does not keep it at the top.
    rows.push_back(best->row);
    return rows;
  }

  std::vector<RowIndex> best(const Looks& looks, std::size_t count) const override {
    if (looked_.empty()) return Strategy::best(looks, count);
    // A row whose look was luckier than those around it is drawn towards them, by its noise.
    auto rows = looked_;
    std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.mean < b.mean; });
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
    return std::ranges::find(rows, row) != rows.end();
  }

  void add_random(const Looks& looks, std::size_t count, std::vector<RowIndex>& rows) {
    std::unordered_set<RowIndex> known(rows.begin(), rows.end());
    std::uniform_int_distribution<std::size_t> any(0, space_.size() - 1);
    for (std::size_t tries = 0; rows.size() < count && tries < 100 * count; ++tries) {
      const auto row = static_cast<RowIndex>(any(random_));
      if (!looks.has(row) && known.insert(row).second) rows.push_back(row);
    }
  }

  /// Rows that differ in one dimension from one of the best.
  void add_near(const Looks& looks, std::size_t count, std::vector<RowIndex>& rows) {
    std::vector<RowIndex> near;
    for (const auto row : best(looks, best_with_neighbours)) {
      for (const auto one : space_.neighbours(row)) {
        if (!looks.has(one) && !taken(rows, one) && !taken(near, one)) near.push_back(one);
      }
    }
    std::shuffle(near.begin(), near.end(), random_);
    for (std::size_t i = 0; i < near.size() && rows.size() < count; ++i) rows.push_back(near[i]);
  }

  void fit(const Looks& looks) {
    auto rows = looks.ranked();
    // How bad a bad row is doesn't matter, and would bend what is said of the good ones. A row that
    // failed is a bad one: so are its neighbours, probably.
    const double cut = rows[rows.size() / 2].mean;
    for (const auto& row : looks.rows()) {
      if (row.failed()) rows.push_back({.row = row.row, .looks = row.looks, .mean = cut});
    }
    if (rows.size() > most_observations) rows.resize(most_observations);
    std::vector<Observation> observations;
    for (const auto& row : rows) {
      observations.push_back(
          {positions_.of(row.row), std::min(row.mean, cut), static_cast<double>(row.looks)});
    }
    const bool learn =
        static_cast<double>(rows.size()) >= learn_again * static_cast<double>(learnt_);
    if (learn) learnt_ = rows.size();
    process_.fit(std::move(observations), looks.deviation(look_deviation), learn);
    looked_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      looked_.push_back({rows[i].row, process_.smoothed(i)});
    }
  }

  /// The rows that may be looked at next.
  std::vector<RowIndex> candidates(const Looks& looks) {
    std::vector<RowIndex> rows;
    if (space_.size() <= most_scanned) {
      for (std::size_t row = 0; row < space_.size(); ++row) {
        if (!looks.has(static_cast<RowIndex>(row))) rows.push_back(static_cast<RowIndex>(row));
      }
    } else {
      add_random(looks, most_scanned, rows);
      for (const auto row : best(looks, around)) {
        for (const auto one : space_.neighbours(row)) {
          if (!looks.has(one)) rows.push_back(one);
        }
      }
      std::ranges::sort(rows);
      rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    }
    if (rows.size() <= 2 * most_best) return rows;
    std::vector<std::pair<double, RowIndex>> means;
    for (const auto row : rows) means.emplace_back(process_.mean(positions_.of(row)), row);
    std::nth_element(means.begin(), means.begin() + most_best, means.end());
    std::shuffle(means.begin() + most_best, means.end(), random_);
    rows.clear();
    for (std::size_t i = 0; i < 2 * most_best; ++i) rows.push_back(means[i].second);
    return rows;
  }

  const plan::Space& space_;
  std::mt19937_64 random_;
  Positions positions_;
  GaussianProcess process_;
  std::size_t learnt_ = 0;  ///< rows when lengths were learnt last
  std::vector<Looked> looked_;
  bool is_idle_ = false;
  std::size_t idle_ = 0;   ///< processes
  std::size_t asked_ = 0;  ///< all of them
};

}  // namespace

std::unique_ptr<Strategy> make_model(const plan::Space& space, std::uint64_t seed) {
  return std::make_unique<Model>(space, seed);
}

}  // namespace apod::search
