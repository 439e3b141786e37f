#include "benchmarks/run/block_plan.hpp"

#include <gtest/gtest.h>

namespace apod::run {
namespace {

TEST(BlockPlan, TheScreeningGrowsWithTheConfirmation) {
  EXPECT_EQ(screening_for(12), 5);
  EXPECT_EQ(screening_for(24), 10);
  EXPECT_EQ(screening_for(48), 20);
  EXPECT_EQ(screening_for(8), 5);
  EXPECT_EQ(screening_for(3), 3);
}

TEST(BlockPlan, WithoutABudgetTheClockDoesNotMatter) {
  const BlockPlan plan(24);
  EXPECT_EQ(plan.screening(0, 0), 10);
  EXPECT_EQ(plan.screening(3, 1e6), 10);
  EXPECT_EQ(plan.confirmation(10, 1e6, 1e6), 24);
  EXPECT_FALSE(plan.ends(5, 1e9));
}

TEST(BlockPlan, ABudgetBuysBothStagesInTheirRatio) {
  const BlockPlan plan(12, 100.0);
  // 40 % of 100 s for blocks of 4 s; then 60 s are left.
  EXPECT_EQ(plan.screening(1, 4), 10);
  EXPECT_EQ(plan.confirmation(10, 40, 2), 24);
  EXPECT_EQ(plan.confirmation(10, 40, 4), 15);
  EXPECT_EQ(plan.screening(1, 0.001), 20) << "four times the usual is enough";
  EXPECT_EQ(plan.confirmation(20, 1, 0.001), 48);
}

TEST(BlockPlan, ATightBudgetStillGetsThreeBlocksOfEach) {
  const BlockPlan plan(12, 10.0);
  EXPECT_EQ(plan.screening(1, 30), 3);
  EXPECT_EQ(plan.screening(4, 30), 4) << "what is done is done";
  EXPECT_EQ(plan.confirmation(3, 60, 1), 3);
  EXPECT_FALSE(plan.ends(2, 60));
  EXPECT_TRUE(plan.ends(3, 60));
  EXPECT_FALSE(plan.ends(3, 9));
}

TEST(BlockPlan, WithoutAScreeningTheConfirmationHasTheWholeBudget) {
  EXPECT_EQ(BlockPlan(12).confirmation_alone(1, 1e6), 12);
  const BlockPlan plan(12, 100.0);
  EXPECT_EQ(plan.confirmation_alone(2, 10), 20);
  EXPECT_EQ(plan.confirmation_alone(1, 0.001), 48) << "four times the usual is enough";
  EXPECT_EQ(plan.confirmation_alone(1, 90), 3);
  EXPECT_EQ(plan.confirmation_alone(5, 90), 5) << "what is done is done";
}

TEST(BlockPlan, AFewCandidatesGetTheUsualConfirmationAfterAShortScreening) {
  EXPECT_EQ(BlockPlan(12, 100.0).confirmation(2, 40, 1), 12);
}

}  // namespace
}  // namespace apod::run
