#include "benchmarks/judge/blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/texts.hpp"

namespace apod::judge {
namespace {

/// `count` blocks around 1 ms; the new side slower by `change` (ln), each visit off by a normal of
/// `spread`, and the machine slower by `drift` (ln) from visit to visit.
std::vector<BlockCase::Block> blocks(int count, double change, double spread, double drift = 0,
                                     std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, spread);
  std::vector<BlockCase::Block> all;
  for (int b = 0; b < count; ++b) {
    const double start = std::log(1e-3) + 4 * b * drift;
    const auto at = [&](int slot, double level) {
      return start + slot * drift + level + normal(random);
    };
    if (b % 2 == 0) {
      all.push_back({{at(0, 0), at(3, 0)}, {at(1, change), at(2, change)}});
    } else {
      all.push_back({{at(1, 0), at(2, 0)}, {at(0, change), at(3, change)}});
    }
  }
  return all;
}

BlockCase with(std::vector<BlockCase::Block> screening,
               std::vector<BlockCase::Block> confirmation = {}) {
  BlockCase c;
  c.name = "x";
  c.screening = std::move(screening);
  c.confirmation = std::move(confirmation);
  return c;
}

BlockCase made(double change, double spread, double drift = 0) {
  auto c = with(blocks(screening_blocks, change, spread, drift, 5));
  if (is_candidate(c, {})) {
    c.confirmation = blocks(confirmation_blocks, change, spread, drift, 2);
  }
  return c;
}

CaseComparison judged(const BlockCase& c, const CompareOptions& options = {}) {
  return judge_blocks({c}, options).cases.at(0);
}

TEST(Blocks, ProcessesThatPrintTheSameDigitsAreSaidToMeasureNothing) {
  const auto notes = [](double spread) {
    auto c = with(blocks(12, 0, 0.01));
    const auto noise = blocks(12, 0, spread);
    for (std::size_t i = 0; i < noise.size(); ++i) c.screening[i].new_side = noise[i].new_side;
    return judge_blocks({c}, {}).notes;
  };
  EXPECT_TRUE(notes(1e-9).empty());
  ASSERT_EQ(notes(0).size(), 1u);
  EXPECT_TRUE(notes(0)[0].starts_with("all processes of the new side printed the same digits"));
}

TEST(Blocks, ARegressionIsConfirmedOnFreshBlocks) {
  const auto c = made(std::log1p(0.03), 0.004);
  ASSERT_FALSE(c.confirmation.empty());
  const auto result = judged(c);
  EXPECT_EQ(result.verdict, Verdict::regression);
  EXPECT_NEAR(result.change.value, 0.03, 0.006);
  EXPECT_EQ(result.base_units, static_cast<std::size_t>(confirmation_blocks));
  EXPECT_NEAR(result.base_s, 1e-3, 1e-5);
}

TEST(Blocks, NoChangeIsNotEvenACandidateAndUnchanged) {
  const auto c = made(0, 0.001);
  EXPECT_TRUE(c.confirmation.empty());
  const auto result = judged(c);
  EXPECT_EQ(result.verdict, Verdict::unchanged);
  EXPECT_DOUBLE_EQ(result.p_adjusted, 1);
  ASSERT_TRUE(result.detectable.has_value());
  EXPECT_GT(*result.detectable, 0.01) << "no less than the threshold is ever called a regression";
}

TEST(Blocks, ALinearDriftCancelsOut) {
  // 2 % from visit to visit would be a false change of 4 % for whoever measures all of A before all
  // of B.
  const auto result = judged(made(0, 1e-5, 0.02));
  EXPECT_EQ(result.verdict, Verdict::unchanged);
  EXPECT_NEAR(result.change.value, 0, 1e-4);
}

TEST(Blocks, TheControlTellsOfADrift) {
  BlockCase c = made(0, 1e-5);
  for (auto& block : c.screening) block.base[1] += 0.05;
  const auto result = judged(c);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_TRUE(contains(
      result.warnings[0],
      "within a block, two measurements of the base differ by 5.00 %: the machine drifts"));
}

TEST(Blocks, WhatTheScreeningSawIsNotJudgedAgainOnItself) {
  // A screening that looks like a regression, and a confirmation in which nothing is left of it.
  EXPECT_EQ(judged(with(blocks(5, 0.03, 0.001), blocks(12, 0, 0.001, 0, 7))).verdict,
            Verdict::unchanged);
  const auto screened_out = judged(with(blocks(5, 0.03, 0.001)));
  EXPECT_EQ(screened_out.verdict, Verdict::inconclusive);
  EXPECT_DOUBLE_EQ(screened_out.p_adjusted, 1);
}

TEST(Blocks, FewerThanTwoBlocksAreInconclusive) {
  auto c = with(blocks(1, 0.5, 0));
  EXPECT_FALSE(is_candidate(c, {}));
  const auto result = judged(c);
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_FALSE(result.reason.empty());
  EXPECT_DOUBLE_EQ(result.change.value, result.new_s / result.base_s - 1);
  EXPECT_GT(result.change.value, 0.1);
  c.screening.clear();
  EXPECT_EQ(judged(c).verdict, Verdict::inconclusive);
}

TEST(Blocks, HolmCountsTheCandidatesOnly) {
  std::vector<BlockCase> cases;
  for (int i = 0; i < 50; ++i) {
    BlockCase c;
    c.name = std::to_string(i);
    c.screening = blocks(5, 0, 0.004, 0, 100 + static_cast<std::uint64_t>(i));
    cases.push_back(c);
  }
  cases[7].screening = blocks(5, 0.02, 0.004);
  cases[7].confirmation = blocks(12, 0.02, 0.004, 0, 3);
  const auto comparison = judge_blocks(cases, {});
  EXPECT_EQ(comparison.method, CompareMethod::blocks);
  EXPECT_EQ(comparison.cases[7].verdict, Verdict::regression);
  EXPECT_DOUBLE_EQ(comparison.cases[7].p_adjusted, comparison.cases[7].p);
}

TEST(Blocks, ALargeChangeInWideNoiseIsACandidate) {
  // Half of the threshold of 1 %, and a p of 0.4: the interval alone would drop it.
  auto c = with({});
  for (const double d : {-0.01, 0.0, 0.006, 0.012, 0.022}) c.screening.push_back({{0, 0}, {d, d}});
  EXPECT_TRUE(is_candidate(c, {}));
  CompareOptions coarse;
  coarse.threshold = 0.05;
  EXPECT_FALSE(is_candidate(c, coarse));
  c.threshold = 0.01;
  EXPECT_TRUE(is_candidate(c, coarse)) << "its own threshold comes first";
  c.failed = "crashed";
  EXPECT_FALSE(is_candidate(c, coarse)) << "a case that failed is none";
}

TEST(Blocks, ADisturbedBlockNeitherHidesAChangeNorFakesOne) {
  auto changed = made(std::log1p(0.02), 0.003);
  changed.confirmation[3].base[1] += 0.5;
  const auto found = judged(changed);
  EXPECT_EQ(found.verdict, Verdict::regression);
  EXPECT_NEAR(found.change.value, 0.02, 0.005);
  EXPECT_EQ(found.base_units, 11u);
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_EQ(found.warnings.front(),
            "1 of 12 blocks was disturbed and left out (1 because of the base, 0 because of the "
            "new side)");

  auto same = with(blocks(5, 0, 0.001, 0, 5));
  same.screening[2].new_side[0] += 0.5;
  EXPECT_TRUE(is_candidate(same, {})) << "a change that comes and goes looks like that";
  same.confirmation = blocks(12, 0, 0.001, 0, 5);
  EXPECT_EQ(judged(same).verdict, Verdict::unchanged);
}

TEST(Blocks, AChangeThatComesAndGoesIsNotUnchanged) {
  auto now_and_then = with(blocks(5, 0, 0.001, 0, 5), blocks(12, 0, 0.001, 0, 2));
  for (const std::size_t block : {1u, 6u, 9u}) now_and_then.confirmation[block].new_side[1] += 0.2;
  const auto c = judged(now_and_then);
  EXPECT_EQ(c.verdict, Verdict::inconclusive);
  EXPECT_TRUE(contains(c.reason, "it may come and go"));
  ASSERT_FALSE(c.warnings.empty());
  EXPECT_TRUE(contains(c.warnings.front(), "(0 because of the base, 3 because of the new side)"));
}

TEST(Blocks, BlocksThatAgreeToTheLastDigitAreNoCertainty) {
  BlockCase c;
  c.name = "x";
  const double tick = 1.5e-4;
  c.screening.assign(5, {{0, 0}, {tick, tick}});
  c.confirmation.assign(3, {{0, 0}, {tick, tick}});
  CompareOptions fine;
  fine.threshold = 1e-4;
  EXPECT_EQ(judge_blocks({c}, fine).cases[0].verdict, Verdict::inconclusive);
}

TEST(Blocks, DetectableKnowsThePlannedConfirmation) {
  auto c = with(blocks(12, 0, 0.02));
  const auto detectable = [&](int planned, bool strict) {
    CompareOptions options;
    options.strict = strict;
    return *judge_blocks({c}, options, planned).cases[0].detectable;
  };
  EXPECT_LT(detectable(48, false), detectable(12, false));
  EXPECT_LT(detectable(12, false), detectable(5, false));
  EXPECT_GT(detectable(48, true), detectable(48, false));
}

TEST(Blocks, WithTheNeededBlocksTwiceTheThresholdIsFound) {
  auto c = with(blocks(5, 0, 0.02), blocks(6, 0.002, 0.02, 0, 9));
  CompareOptions options;
  const auto needed = judged(c, options).units_needed;
  ASSERT_TRUE(needed.has_value());
  c.confirmation = blocks(static_cast<int>(*needed), 0, 0.02, 0, 9);
  for (const bool strict : {false, true}) {
    options.strict = strict;
    EXPECT_LT(*judged(c, options).detectable, 2.1 * options.threshold) << strict;
  }
}

TEST(Blocks, NoiseSaysHowManyBlocksWouldSettleIt) {
  auto c = with(blocks(5, 0.002, 0.02));
  const auto result = judged(c);
  ASSERT_EQ(result.verdict, Verdict::inconclusive);
  ASSERT_TRUE(result.units_needed.has_value());
  EXPECT_GT(*result.units_needed, 12u);
}

}  // namespace
}  // namespace apod::judge
