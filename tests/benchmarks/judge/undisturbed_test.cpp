#include "benchmarks/judge/undisturbed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "benchmarks/base/stats/means.hpp"
#include "benchmarks/base/stats/t_tests.hpp"

namespace apod::judge {
namespace {

using Blocks = std::vector<BlockCase::Block>;

/// Visits around 1 ms that spread by 0.4 %.
Blocks noise(std::size_t count, std::mt19937_64& random) {
  std::normal_distribution<double> normal(std::log(1e-3), 0.004);
  Blocks blocks(count);
  for (auto& block : blocks) {
    for (auto* arm : {&block.base, &block.new_side}) {
      for (auto& visit : *arm) visit = normal(random);
    }
  }
  return blocks;
}

Blocks noise(std::size_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  return noise(count, random);
}

double difference(const BlockCase::Block& block) {
  return (block.new_side[0] + block.new_side[1] - block.base[0] - block.base[1]) / 2;
}

TEST(Undisturbed, ABurstInOneVisitOrInBothOfAnArmGoes) {
  for (const double burst : {0.1, -0.1}) {
    auto blocks = noise(12);
    blocks[4].base[0] += burst;
    blocks[7].new_side[1] += burst;
    const auto kept = undisturbed(blocks);
    ASSERT_EQ(kept.size(), 10u);
    for (const auto& block : kept) EXPECT_LT(std::abs(difference(block)), 0.02);
    EXPECT_EQ(kept[4].base, blocks[5].base) << "the others keep their order";
  }
  auto blocks = noise(12);
  for (auto& visit : blocks[4].new_side) visit += 0.1;
  EXPECT_EQ(undisturbed(blocks).size(), 11u);
}

TEST(Undisturbed, AChangeOfTheClockOrOfTheNewSideDisturbsNone) {
  EXPECT_EQ(undisturbed(noise(12)).size(), 12u);
  auto blocks = noise(12);
  for (auto& block : blocks) {
    for (auto& visit : block.new_side) visit += 0.3;
  }
  EXPECT_EQ(undisturbed(blocks).size(), 12u);
  for (std::size_t i = 8; i < 12; ++i) {
    for (auto* arm : {&blocks[i].base, &blocks[i].new_side}) {
      for (auto& visit : *arm) visit += 0.1;
    }
  }
  EXPECT_EQ(undisturbed(blocks).size(), 12u);
}

TEST(Undisturbed, AtMostAThirdGoesTheWorstFirst) {
  auto blocks = noise(12);
  for (std::size_t i = 0; i < 5; ++i) blocks[i].base[0] += 0.1 * static_cast<double>(i + 1);
  const auto kept = undisturbed(blocks);
  ASSERT_EQ(kept.size(), 8u);
  EXPECT_EQ(kept.front().base, blocks.front().base);
}

TEST(Undisturbed, FewerThanFiveBlocksAllStay) {
  auto blocks = noise(4);
  blocks[1].base[0] += 1;
  EXPECT_EQ(undisturbed(blocks).size(), 4u);
}

TEST(Undisturbed, TimesThatAlwaysAgreeMayDifferALittle) {
  Blocks blocks(12, {{0, 0}, {0, 0}});
  blocks[3].base[0] = 5e-4;
  EXPECT_EQ(undisturbed(blocks).size(), 12u);
  blocks[3].base[0] = 1e-2;
  EXPECT_EQ(undisturbed(blocks).size(), 11u);
}

/// Of 2,000 experiments without a change, the share whose 95 % interval holds 0. Visits are slow by
/// 10 % with a chance of `bursts`.
double coverage(std::size_t count, double bursts) {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> uniform;
  int covered = 0;
  constexpr int experiments = 2000;
  for (int i = 0; i < experiments; ++i) {
    auto blocks = noise(count, random);
    for (auto& block : blocks) {
      for (auto* arm : {&block.base, &block.new_side}) {
        for (auto& visit : *arm) visit += uniform(random) < bursts ? 0.1 : 0;
      }
    }
    std::vector<double> differences;
    for (const auto& block : undisturbed(blocks)) differences.push_back(difference(block));
    const auto interval = stats::t_interval(stats::mean_estimate(differences));
    covered += interval.low <= 0 && 0 <= interval.high ? 1 : 0;
  }
  return static_cast<double>(covered) / experiments;
}

TEST(Undisturbed, WhatStaysKeepsItsInterval) {
  // Three standard errors of the shares are 1.5 %.
  for (const std::size_t count : {5u, 12u}) {
    EXPECT_NEAR(coverage(count, 0), 0.95, 0.015) << count;
    EXPECT_NEAR(coverage(count, 0.025), 0.95, 0.015) << count;
  }
}

}  // namespace
}  // namespace apod::judge
