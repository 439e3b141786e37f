#include "benchmarks/judge/search/effects.hpp"

#include <algorithm>
#include <map>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/judge/search/gaussian.hpp"
#include "benchmarks/judge/search/strategy.hpp"

namespace apod::search {
namespace {

constexpr std::size_t least_rows = 10;
constexpr std::size_t drawn_rows = 4000;
constexpr double least_share = 0.01;

/// Values by the levels of two dimensions, in the order of these.
using Groups = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>>;

double squares(const std::vector<double>& values) {
  return static_cast<double>(stats::square_sum(values, stats::mean(values)));
}

/// The share of the values' variance that lies between their groups, less what chance gives to so
/// many groups (Hays 1963, "Statistics for psychologists": epsilon squared).
double share_of_groups(const std::vector<double>& values, const Groups& groups) {
  std::vector<double> all;
  double within = 0;
  for (const auto& [levels, some] : groups) {
    all.insert(all.end(), some.begin(), some.end());
    within += squares(some);
  }
  const auto n = static_cast<double>(all.size());
  const auto k = static_cast<double>(groups.size());
  const double between = squares(all) - within - (k - 1) * within / (n - k);
  return n > k && between > 0 ? between / squares(values) : 0;
}

}  // namespace

std::vector<AxisEffect> effects_of(const plan::Space& space, const Looks& looks) {
  std::vector<Seen> seen;
  for (const auto& row : looks.rows()) {
    if (!row.failed()) seen.push_back({space.at(row.row), row.mean});
  }
  if (seen.size() < least_rows) return {};

  std::mt19937_64 random(1);
  std::vector<Levels> levels;
  std::vector<Levels> known;  // likewise, without the axes that a variant lacks
  for (const auto row : drawn(space.size(), drawn_rows, random)) {
    levels.push_back(space.at(row));
    known.push_back(space.known(row));
  }
  Gaussian model(space);
  model.learn(std::move(seen), random);
  const auto values = model.expected(levels);
  const auto groups_of = [&](std::size_t a, std::size_t b) {
    Groups groups;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (a != b || known[i][a] < space.levels(a))
        groups[{known[i][a], known[i][b]}].push_back(values[i]);
    }
    return groups;
  };
  std::vector<AxisEffect> effects;
  std::vector<double> alone(space.dimensions());
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    const auto groups = groups_of(d, d);
    if (groups.empty()) continue;  // no variant has it
    alone[d] = share_of_groups(values, groups);
    const auto mean = [](const auto& group) { return stats::mean(group.second); };
    const auto best = std::ranges::min_element(groups, {}, mean)->first.first;
    effects.push_back(
        {.axis = space.name(d), .share = alone[d], .best = space.level_text(d, best)});
  }
  for (std::size_t a = 0; a < space.dimensions(); ++a) {
    for (std::size_t b = a + 1; b < space.dimensions(); ++b) {
      const double both = share_of_groups(values, groups_of(a, b)) - alone[a] - alone[b];
      effects.push_back({.axis = space.name(a), .other = space.name(b), .share = both});
    }
  }
  std::erase_if(effects, [](const AxisEffect& e) { return e.share < least_share; });
  std::ranges::stable_sort(effects, [](const auto& a, const auto& b) { return a.share > b.share; });
  return effects;
}

}  // namespace apod::search
