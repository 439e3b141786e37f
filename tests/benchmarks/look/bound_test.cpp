// Accesses and ceilings: where each rule speaks, and where it must not.

#include "tests/benchmarks/look/evidence.hpp"
#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

TEST_F(FindingsTest, UncoalescedAccessByCounters) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("transpose", 1e-3);
  kernel.counters = {{"global_load_bytes", 128},
                     {"global_load_sectors", 4},
                     {"global_store_bytes", 128},
                     {"global_store_sectors", 32}};
  const auto found = find("uncoalesced-access");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->evidence, "its stores use 12 % of the bytes in the sectors that they touch");
  EXPECT_NEAR(found->gain, 0.875 * 32 / 36, 1e-9);
  profile.kernels.front().counters["global_store_sectors"] = 4;
  EXPECT_FALSE(find("uncoalesced-access"));
  profile.kernels.front().counters["global_load_sectors"] = 80;
  EXPECT_FALSE(find("uncoalesced-access")) << "sectors of copies whose bytes were not counted";
}

TEST_F(FindingsTest, WhatTheCachesKeepForTheNextAccessIsNotWasted) {
  facts["span"] = 1e-3;
  asked.end_to_end = false;
  asked.traffic = {.bytes_read = 268e6, .bytes_written = 1074e6};
  auto& kernel = add_kernel("interpolate", 1e-3);
  kernel.counters = {{"global_load_bytes", 1341e6},
                     {"global_load_sectors", 86e6},
                     {"global_store_bytes", 1074e6},
                     {"global_store_sectors", 33.6e6},
                     {"dram_throughput", 0.79}};
  EXPECT_TRUE(find("uncoalesced-access")) << "what device memory moved is not known";
  facts["dram_bytes"] = 1343e6;
  EXPECT_FALSE(find("uncoalesced-access"));
  facts["dram_bytes"] = 1500e6;
  EXPECT_TRUE(find("uncoalesced-access")) << "fetched again";
  facts["dram_bytes"] = 1343e6;
  kernel.counters["dram_throughput"] = 0.5;
  EXPECT_TRUE(find("uncoalesced-access")) << "not what it waits for";
  kernel.counters["dram_throughput"] = 0.79;
  asked.traffic = {};
  EXPECT_TRUE(find("uncoalesced-access")) << "what it has to move is not known";
}

TEST_F(FindingsTest, OneStoreBesideAsynchronousCopiesIsNotUncoalesced) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("gemm", 1e-3);
  kernel.counters = {{"global_store_bytes", 4}, {"global_store_sectors", 1}};
  EXPECT_TRUE(find("uncoalesced-access"));
  kernel.counters["dram_bytes_written"] = 80e6;
  EXPECT_FALSE(find("uncoalesced-access"));
}

TEST_F(FindingsTest, ItsCodeTellsWhetherAKernelLoadsAsynchronously) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("gather", 1e-3);
  kernel.counters = {{"global_load_bytes", 128},
                     {"global_load_sectors", 80},
                     {"global_store_bytes", 128},
                     {"global_store_sectors", 16}};
  kernel.instructions = InstructionMix{.source = "SASS", .global_loads = 2};
  EXPECT_EQ(find("uncoalesced-access")->evidence,
            "its global loads use only 5.0 %, its stores 25 % of the bytes in the sectors that "
            "they touch");
  kernel.instructions->asynchronous_loads = 1;
  EXPECT_EQ(find("uncoalesced-access")->evidence,
            "its stores use 25 % of the bytes in the sectors that they touch");
}

TEST_F(FindingsTest, FewStoresAShortKernelAndOneThreadAreNotUncoalesced) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("sum", 1e-3);
  kernel.counters = {{"global_load_bytes", 32e6},
                     {"global_load_sectors", 1e6},
                     {"global_store_bytes", 4e5},
                     {"global_store_sectors", 1e5}};
  EXPECT_FALSE(find("uncoalesced-access")) << "a sum for each block";
  kernel.counters["global_store_sectors"] = 2e5;
  EXPECT_TRUE(find("uncoalesced-access"));
  kernel.time = tally(1e-3, 200);
  EXPECT_FALSE(find("uncoalesced-access")) << "5 us each";
  kernel.time = tally(1e-3, 1);
  kernel.grid = kernel.block = {1, 1, 1};
  EXPECT_FALSE(find("uncoalesced-access")) << "one thread has no neighbours";
}

TEST_F(FindingsTest, ComputeBoundNamesTheUnitAndTheIntensity) {
  asked.end_to_end = false;
  asked.time_s = 1e-3;
  asked.traffic = {.bytes_read = 1e6, .bytes_written = 0, .flops_fp32 = 0.9 * 62.8e9};
  const auto found = find("compute-bound");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::note);
  EXPECT_TRUE(contains(found->evidence,
                       "fp32: 56.5 TFLOP/s is 90 % of the measured ceiling, 62.8 TFLOP/s"));
  EXPECT_FALSE(find("memory-bound"));
  asked.time_s = 1;
  EXPECT_FALSE(find("compute-bound")) << "far from it";
}

TEST_F(FindingsTest, FarFromItsPeakArithmeticBindsNothing) {
  asked.end_to_end = false;
  asked.time_s = 1e-3;
  asked.traffic = {.bytes_read = 1e6, .bytes_written = 0, .flops_fp32 = 0.64 * 62.8e9};
  EXPECT_FALSE(find("compute-bound"));
  asked.traffic.flops_fp32 = 0.81 * 62.8e9;
  EXPECT_TRUE(find("compute-bound"));
}

TEST_F(FindingsTest, AboveTheCeilingOfArithmeticTheCeilingIsInDoubt) {
  asked.end_to_end = false;
  asked.time_s = 1e-3;
  asked.traffic = {.bytes_read = 1e6, .bytes_written = 0, .flops_fp64 = 1.17 * 33.2e9};
  EXPECT_TRUE(contains(find("above-ceiling")->evidence, "117 % of the measured ceiling"));
  asked.traffic.flops_fp64 = 1.01 * 33.2e9;
  EXPECT_FALSE(find("above-ceiling")) << "ceilings repeat no better";
}

TEST_F(FindingsTest, LatencyBoundNeedsAFullDeviceWithoutABusyUnit) {
  foreign = true;
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("chain", 1e-3);
  kernel.counters = {{"issue_active", 0.35}, {"l1_throughput", 0.36}, {"achieved_occupancy", 0.9}};
  EXPECT_EQ(find("latency-bound")->severity, Severity::note);
  kernel.counters["achieved_occupancy"] = 0.1;
  EXPECT_FALSE(find("latency-bound")) << "the occupancy is what is wrong";
  kernel.counters["achieved_occupancy"] = 0.9;
  kernel.counters["l1_throughput"] = 0.61;
  EXPECT_FALSE(find("latency-bound"));
  kernel.counters.clear();
  EXPECT_FALSE(find("latency-bound")) << "nothing was counted";
}

TEST_F(FindingsTest, CacheResidentIsAboveTheMemorysCeiling) {
  asked.end_to_end = false;
  asked.cold = false;
  asked.time_s = 1e-3;
  asked.traffic.bytes_read = 5106e6;
  const auto found = find("cache-resident");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->evidence, "5.11 TB/s is above the measured ceiling of device memory, 4.55 TB/s");
  EXPECT_TRUE(contains(found->advice, "cache: cold"));
  EXPECT_FALSE(find("memory-bound"));
  asked.traffic.bytes_read = 4560e6;  // within the noise of the ceiling
  EXPECT_FALSE(find("cache-resident"));
  EXPECT_TRUE(find("memory-bound"));
}

TEST_F(FindingsTest, CountersTellTheBoundOfOtherPrograms) {
  foreign = true;
  facts["span"] = 1e-3;
  add_kernel("k", 1e-3).counters = {{"dram_throughput", 0.85}, {"issue_active", 0.2}};
  EXPECT_EQ(find("memory-bound")->subject, "k");
  profile.kernels.front().counters = {{"dram_throughput", 0.1}, {"l2_throughput", 0.7}};
  EXPECT_EQ(find("memory-bound")->evidence,
            "the L2 cache moves data at 70 % of the peak rate (from counters)");
  profile.kernels.front().counters = {{"dram_throughput", 0.3}, {"issue_active", 0.2}};
  EXPECT_FALSE(find("memory-bound"));
  EXPECT_FALSE(find("compute-bound"));
}

}  // namespace
}  // namespace apod::look
