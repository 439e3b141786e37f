#include "benchmarks/plan/shards.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "benchmarks/plan/estimate.hpp"
#include "benchmarks/plan/filter.hpp"

namespace apod::plan {
namespace {

/// The case by which each case's group is known: the last of its baselines.
std::vector<std::size_t> groups_of(const Plan& plan) {
  std::vector<std::size_t> group(plan.cases.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::size_t root = i;
    while (plan.cases[root].baseline) root = *plan.cases[root].baseline;
    group[i] = root;
  }
  return group;
}

/// The shard of each group, by the case that it is known by.
std::vector<int> shards_of(const std::vector<std::size_t>& group, const std::vector<double>& weight,
                           int count) {
  std::vector<double> total(group.size(), 0);
  std::vector<std::size_t> heads;
  for (std::size_t i = 0; i < group.size(); ++i) {
    total[group[i]] += weight[i];
    if (group[i] == i) heads.push_back(i);
  }
  std::stable_sort(heads.begin(), heads.end(),
                   [&](std::size_t a, std::size_t b) { return total[a] > total[b]; });
  // Its weight, then its number: of equal ones the first is next.
  using Load = std::pair<double, int>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int shard = 1; shard <= count; ++shard) loads.emplace(0, shard);
  std::vector<int> shard_of(group.size(), 0);
  for (const std::size_t head : heads) {
    auto [load, shard] = loads.top();
    loads.pop();
    shard_of[head] = shard;
    // What weighs nothing is dealt out in turns too.
    loads.emplace(load + std::max(total[head], 1e-9), shard);
  }
  return shard_of;
}

}  // namespace

StudyPart take_shard(Plan& plan, const Shard& shard, const Registry& registry) {
  StudyPart part;
  part.cases = plan.cases.size();
  if (shard.is_all()) return part;
  part.shard = shard.text();
  const auto group = groups_of(plan);
  int groups = 0;
  for (std::size_t i = 0; i < group.size(); ++i) groups += group[i] == i ? 1 : 0;
  part.shards = std::min(groups, shard.count);
  const auto shard_of = shards_of(group, weights_of(plan, registry), shard.count);
  std::vector<bool> kept(plan.cases.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] = shard_of[group[i]] == shard.index;
    if (kept[i]) part.positions.push_back(i);
  }
  keep_cases(plan, kept);
  return part;
}

}  // namespace apod::plan
