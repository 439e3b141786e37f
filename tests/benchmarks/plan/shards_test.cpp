#include "benchmarks/plan/shards.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "benchmarks/plan/estimate.hpp"
#include "tests/benchmarks/plan/planned.hpp"

namespace apod::plan {
namespace {

constexpr const char* sums =
    "  - {workload: sum, name: a, baseline: {variant: host}, axes: {variant: [fast, host], size: "
    "[1e3, 1e4, 1e5, 1e6, 1e7, 1e8]}}\n"
    "  - {workload: sum, name: b, axes: {variant: [fast, host], size: [1e3, 1e8], repeats: [1, "
    "100]}}\n";

class Shards : public testing::Test {
 protected:
  Plan whole() const {
    const auto outcome = plan_of(sums, {.cuda_available = true});
    EXPECT_EQ(messages(outcome), "");
    return outcome.plan.value_or(Plan{});
  }

  Registry registry_ = test::fake_registry();
};

TEST_F(Shards, HaveEveryCaseOnceAsItWas) {
  const auto all = whole();
  ASSERT_EQ(all.cases.size(), 20u);
  for (const int count : {1, 2, 3, 7, 14}) {
    std::set<std::string> seen;
    for (int index = 1; index <= count; ++index) {
      auto plan = whole();
      const auto part = take_shard(plan, {index, count}, registry_);
      EXPECT_EQ(part.cases, all.cases.size());
      for (std::size_t i = 0; i < plan.cases.size(); ++i) {
        const auto& c = plan.cases[i];
        EXPECT_EQ(c.index, i);
        EXPECT_TRUE(seen.insert(c.id).second) << c.id;
        const auto& before = all.cases[count == 1 ? i : part.positions.at(i)];
        EXPECT_EQ(c.id, before.id);
        ASSERT_EQ(c.baseline.has_value(), before.baseline.has_value()) << c.id;
        if (c.baseline) {
          EXPECT_EQ(plan.cases.at(*c.baseline).id, all.cases.at(*before.baseline).id);
        }
      }
    }
    EXPECT_EQ(seen.size(), all.cases.size()) << count;
  }
}

TEST_F(Shards, NoneIsHeavierThanTheBoundOfGraham) {
  const auto all = whole();
  const auto weights = weights_of(all, registry_);
  std::map<std::size_t, double> groups;
  for (const auto& c : all.cases) groups[c.baseline.value_or(c.index)] += weights[c.index];
  double heaviest = 0;
  for (const auto& [head, weight] : groups) heaviest = std::max(heaviest, weight);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  EXPECT_GT(total, 0);
  for (const int count : {2, 3, 5}) {
    const double least = std::max(total / count, heaviest);
    for (int index = 1; index <= count; ++index) {
      auto plan = whole();
      double load = 0;
      for (const auto position : take_shard(plan, {index, count}, registry_).positions) {
        load += weights[position];
      }
      EXPECT_GT(load, 0);
      EXPECT_LE(load, 4.0 / 3 * least * 1.001) << index << " of " << count;
    }
  }
}

TEST_F(Shards, MoreThanThereAreGroupsHaveNothing) {
  auto plan = whole();
  const auto part = take_shard(plan, {15, 40}, registry_);
  EXPECT_TRUE(plan.cases.empty());
  EXPECT_TRUE(part.positions.empty());
  EXPECT_EQ(part.shards, 14) << "6 sizes with their baselines, and 8 cases";
  EXPECT_EQ(part.shard, "15/40");
}

}  // namespace
}  // namespace apod::plan
