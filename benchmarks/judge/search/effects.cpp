#include "benchmarks/judge/search/effects.hpp"

#include <algorithm>
#include <map>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/judge/search/strategy.hpp"
#include "benchmarks/judge/search/trees.hpp"

namespace apod::search {
namespace {

constexpr std::size_t least_rows = 10;
constexpr std::size_t models = 20;
constexpr std::size_t drawn_rows = 4000;
constexpr double least_share = 0.01;

/// The share of the values' variance that lies between their groups, less what chance gives to so
/// many groups (Hays 1963, "Statistics for psychologists": epsilon squared).
double share_of_groups(const std::vector<double>& values, const std::vector<std::size_t>& group) {
  std::map<std::size_t, std::pair<double, double>> sums;  // count, sum
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& [count, sum] = sums[group[i]];
    count += 1;
    sum += values[i];
    total += values[i];
  }
  const auto n = static_cast<double>(values.size());
  const auto groups = static_cast<double>(sums.size());
  double all = 0;
  for (const auto value : values) all += stats::square(value - total / n);
  double between = 0;
  for (const auto& [level, one] : sums) between += one.second * one.second / one.first;
  between -= total * total / n;
  if (all <= 0 || n <= groups) return 0;
  return std::max(0.0, (between - (groups - 1) * (all - between) / (n - groups)) / all);
}

}  // namespace

std::vector<AxisEffect> effects_of(const plan::Space& space, const Looks& looks) {
  std::vector<Levels> looked;
  std::vector<double> means;
  for (const auto& row : looks.rows()) {
    if (row.failed()) continue;
    looked.push_back(space.at(row.row));
    means.push_back(row.mean);
  }
  if (looked.size() < least_rows) return {};
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < looked.size(); ++i) seen.push_back({&looked[i], means[i]});

  std::mt19937_64 random(1);
  std::vector<Levels> levels;
  for (const auto row : drawn(space.size(), drawn_rows, random)) levels.push_back(space.at(row));
  std::vector<double> values(levels.size());
  for (std::size_t m = 0; m < models; ++m) {
    const auto of_model = expected(space, seen, levels, random);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += of_model[i] / models;
  }
  const auto share = [&](std::size_t a, std::size_t b) {
    std::vector<std::size_t> group;
    for (const auto& at : levels) group.push_back(at[a] * space.levels(b) + at[b]);
    return share_of_groups(values, group);
  };
  std::vector<AxisEffect> effects;
  std::vector<double> alone(space.dimensions());
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    if (space.levels(d) < 2) continue;
    alone[d] = share(d, d);
    std::vector<std::pair<double, double>> sums(space.levels(d));  // count, sum
    for (std::size_t i = 0; i < values.size(); ++i) {
      sums[levels[i][d]].first += 1;
      sums[levels[i][d]].second += values[i];
    }
    std::size_t best = levels.front()[d];
    for (std::size_t level = 0; level < sums.size(); ++level) {
      const auto mean = [&](std::size_t l) { return sums[l].second / sums[l].first; };
      if (sums[level].first > 0 && mean(level) < mean(best)) best = level;
    }
    effects.push_back(
        {.axis = space.name(d), .share = alone[d], .best = space.level_text(d, best)});
  }
  for (std::size_t a = 0; a < space.dimensions(); ++a) {
    for (std::size_t b = a + 1; b < space.dimensions(); ++b) {
      if (space.levels(a) < 2 || space.levels(b) < 2) continue;
      const double both = share(a, b) - alone[a] - alone[b];
      if (both >= least_share) {
        effects.push_back({.axis = space.name(a), .other = space.name(b), .share = both});
      }
    }
  }
  std::erase_if(effects, [](const AxisEffect& e) { return e.share < least_share; });
  std::ranges::stable_sort(effects, [](const auto& a, const auto& b) { return a.share > b.share; });
  return effects;
}

}  // namespace apod::search
