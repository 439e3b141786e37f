#include <gtest/gtest.h>

#include "benchmarks/run/side_by_side.hpp"

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
  EXPECT_EQ(plan.confirmation(0, 1e6, 1e6), 24);
  EXPECT_EQ(plan.confirmation(7, 1e6, 1e6), 24);
  EXPECT_FALSE(plan.may_screen_on(0, 0, 1, 1));
  EXPECT_TRUE(plan.fits(1e9, 1e9));
  EXPECT_EQ(plan.overrun("took ", 1e9), "");
}

TEST(BlockPlan, ABudgetIsUsed) {
  const BlockPlan plan(std::nullopt, 100.0);
  // 40 % of 100 s for blocks of 4 s; then 60 s are left, with half a block for the traced look.
  EXPECT_EQ(plan.screening(1, 4), 10);
  EXPECT_EQ(plan.confirmation(0, 40, 2), 29);
  EXPECT_EQ(plan.confirmation(0, 40, 4), 14);
  EXPECT_EQ(plan.confirmation(10, 80, 4), 14) << "as fast as thought";
  EXPECT_EQ(plan.confirmation(10, 60, 2), 29) << "faster: more of them";
  EXPECT_EQ(plan.screening(1, 0.1), 400);
  EXPECT_EQ(plan.screening(1, 0.001), 417) << "in ratio to the most that may be asked for";
  EXPECT_EQ(plan.confirmation(0, 1, 0.001), 1000);
}

TEST(BlockPlan, OfWhatIsAskedForABudgetBuysWhatFits) {
  const BlockPlan plan(12, 100.0);
  EXPECT_EQ(plan.screening(1, 0.001), 5);
  EXPECT_EQ(plan.confirmation(0, 40, 0.001), 12);
  EXPECT_EQ(plan.confirmation(0, 40, 10), 5);
  EXPECT_FALSE(plan.may_screen_on(5, 10, 0.1, 1));
}

TEST(BlockPlan, WhereNothingStandsOutTheScreeningGoesOnUntilTheBudgetIsUsed) {
  const BlockPlan plan(std::nullopt, 100.0);
  EXPECT_TRUE(plan.may_screen_on(10, 40, 4, 0.5));
  EXPECT_TRUE(plan.may_screen_on(10, 89, 4, 0.5));
  EXPECT_FALSE(plan.may_screen_on(10, 90, 4, 0.5)) << "three halves of confirmation, and a look";
}

TEST(BlockPlan, ABudgetIsKeptButForThreeBlocksOfEach) {
  const BlockPlan plan(std::nullopt, 10.0);
  EXPECT_EQ(plan.screening(1, 30), 3);
  EXPECT_EQ(plan.screening(4, 30), 4) << "what is done is done";
  EXPECT_EQ(plan.confirmation(0, 60, 1), 3);
  EXPECT_EQ(plan.confirmation(2, 60, 1), 3);
  EXPECT_EQ(plan.confirmation(5, 9.9, 1), 5) << "one more would not end in time";
  EXPECT_TRUE(plan.fits(9, 1));
  EXPECT_FALSE(plan.fits(9, 1.1));
  EXPECT_EQ(plan.overrun("took ", 10.1), "");
  EXPECT_TRUE(
      plan.overrun("takes at least ", 15)
          .starts_with("the comparison takes at least 15.0 s, more than the budget of 10.0"));
}

}  // namespace
}  // namespace apod::run
