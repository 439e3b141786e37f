// What counters alone tell: cycles that are wasted, units of atomics, and what warps wait for.

#include "tests/benchmarks/look/evidence.hpp"
#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

TEST_F(FindingsTest, BankConflictsCostTheStepsThatTheyRepeat) {
  facts["span"] = 1e-3;
  add_kernel("other", 0.5e-3);
  auto& kernel = add_kernel("transpose", 0.5e-3);
  kernel.counters = {{"shared_conflicts", 75}, {"l1_wavefronts", 100}, {"l1_throughput", 0.8}};
  const auto found = find("bank-conflicts");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_EQ(found->evidence,
            "75 % of the wavefronts in L1 and shared memory are repeats because of bank conflicts; "
            "wavefronts take 80 % of the cycles");
  EXPECT_NEAR(found->gain, 0.5 * 0.75 * 0.8, 1e-9);
  kernel.counters["l1_throughput"] = 0.1;
  EXPECT_FALSE(find("bank-conflicts")) << "3.75 % of the time";
  kernel.counters["l1_throughput"] = 0.26;
  EXPECT_FALSE(find("bank-conflicts")) << "9.75 % of the time";
  kernel.counters["l1_throughput"] = 0.28;
  EXPECT_TRUE(find("bank-conflicts"));
  kernel.counters.erase("l1_throughput");
  EXPECT_FALSE(find("bank-conflicts")) << "what they cost is not known";
}

TEST_F(FindingsTest, DivergenceCostsTheIssueOfInstructionsForAbsentThreads) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("branches", 1e-3);
  kernel.counters = {{"active_threads", 4}, {"issue_active", 0.9}};
  const auto found = find("divergent-warps");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->evidence,
            "4 of a warp's 32 threads take part in an instruction on average; instructions are "
            "issued in 90 % of the cycles");
  EXPECT_NEAR(found->gain, 0.9 * 28 / 32, 1e-9);
  kernel.counters["issue_active"] = 0.05;
  EXPECT_FALSE(find("divergent-warps")) << "the schedulers have time";
  kernel.counters = {{"active_threads", 31.5}, {"issue_active", 0.9}};
  EXPECT_FALSE(find("divergent-warps")) << "a warp at the edge";
  kernel.counters = {{"active_threads", 1}, {"issue_active", 0.9}};
  kernel.block = {1, 1, 1};
  EXPECT_FALSE(find("divergent-warps")) << "a block of one thread";
}

TEST_F(FindingsTest, AtomicsBindWhereOneUnitOfTheL2IsBusy) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("histogram", 1e-3);
  kernel.counters = {{"atomics_active", 0.01}, {"atomics_busiest", 0.95}};
  const auto found = find("atomics-bound");
  ASSERT_TRUE(found);
  EXPECT_EQ(
      found->evidence,
      "the busiest atomic unit of the L2 works in 95 % of the cycles, the average unit in 1.0 %");
  EXPECT_NEAR(found->gain, 0.94, 1e-9);
  kernel.counters["achieved_occupancy"] = 0.9;
  kernel.counters["issue_active"] = 0.1;
  EXPECT_FALSE(find("latency-bound")) << "a unit is near its peak";
  kernel.counters["atomics_busiest"] = 0.5;
  EXPECT_FALSE(find("atomics-bound"));
}

TEST_F(FindingsTest, LatencyHasTheNameOfTheLongestWaitThatIsCounted) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("chase", 1e-3);
  kernel.counters = {{"achieved_occupancy", 0.9},
                     {"issue_active", 0.2},
                     {"memory_stall", 0.2},
                     {"barrier_stall", 0.5},
                     {"shared_stall", 0.4}};
  ASSERT_TRUE(find("latency-bound"));
  EXPECT_TRUE(contains(find("latency-bound")->evidence,
                       "; the warps wait for other warps of the block in 50 % of their time"));
  EXPECT_TRUE(contains(find("latency-bound")->advice, "fewer barriers"));
  kernel.counters["barrier_stall"] = kernel.counters["shared_stall"] = 0.29;
  EXPECT_FALSE(contains(find("latency-bound")->evidence, "wait")) << "none of them is long";
}

}  // namespace
}  // namespace apod::look
