// Grids and occupancy: where each rule speaks, and where it must not.

#include "tests/benchmarks/look/evidence.hpp"
#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

TEST_F(FindingsTest, SingleThreadKernelIsNamedWithItsShare) {
  facts["span"] = 1e-3;
  add_kernel("partial(float*)", 0.6e-3);
  auto& kernel = add_kernel("void add_up<float>(float*)", 0.4e-3, 50);
  kernel.grid = kernel.block = {1, 1, 1};
  const auto found = find("single-thread-kernel");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->subject, "void add_up<float>");
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_NEAR(found->gain, 0.4, 1e-9);
  EXPECT_FALSE(find("small-grid")) << "said already";
  profile.kernels.back().time = tally(1e-6, 1);
  EXPECT_EQ(find("single-thread-kernel")->severity, Severity::note);
  profile.kernels.back().block = {32, 1, 1};
  EXPECT_FALSE(find("single-thread-kernel"));
}

TEST_F(FindingsTest, SmallGridLeavesMultiprocessorsEmpty) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("k", 1e-3, 2);
  kernel.grid = {33, 1, 1};
  const auto found = find("small-grid");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_NEAR(found->gain, 0.75, 1e-9);
  facts["kernel_overlap"] = 0.5;
  EXPECT_FALSE(find("small-grid")) << "others run beside it";
  facts.erase("kernel_overlap");
  profile.kernels.front().grid = {132, 1, 1};
  EXPECT_FALSE(find("small-grid"));
}

TEST_F(FindingsTest, AGridNearTheNumberOfMultiprocessorsIsChosenSo) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("persistent", 1e-3);
  kernel.grid = {128, 1, 1};
  EXPECT_FALSE(find("small-grid"));
  kernel.grid = {100, 1, 1};
  EXPECT_TRUE(find("small-grid"));
  kernel.counters = {{"tensor_active", 0.7}};
  EXPECT_FALSE(find("small-grid")) << "it keeps the device busy all the same";
}

TEST_F(FindingsTest, LaunchesOfOneKernelAreWeighedTogether) {
  facts["span"] = 1e-3;
  for (std::uint32_t blocks = 1; blocks <= 20; ++blocks) {
    add_kernel("lu", 50e-6).grid = {blocks, 1, 1};
  }
  profile.kernels[7].time = tally(52e-6, 1);
  const auto found = find("small-grid");
  ASSERT_TRUE(found) << "5 % each, 100 % together";
  EXPECT_TRUE(contains(found->evidence, "8 blocks of 256 threads (the longest of 20 shapes)"));
  EXPECT_NEAR(found->gain, 1 - 8.0 / 132, 1e-9);
}

TEST_F(FindingsTest, KernelsThatRunAtOnceSaveNoMoreThanTheyCover) {
  facts["span"] = 1e-3;
  facts["kernel_time"] = 0.5e-3;
  auto& kernel = add_kernel("add_up", 1e-3, 8);
  kernel.grid = kernel.block = {1, 1, 1};
  add_kernel("scale", 1e-3, 8);
  EXPECT_NEAR(find("single-thread-kernel")->gain, 0.25, 1e-9);
}

TEST_F(FindingsTest, ASmallProblemIsANoteAndARareKernelNone) {
  facts["span"] = 4e-6;
  add_kernel("k", 4e-6).grid = {1, 1, 1};
  EXPECT_EQ(find("small-grid")->severity, Severity::note);
  facts["span"] = 1e-3;
  EXPECT_FALSE(find("small-grid"));
}

TEST_F(FindingsTest, TailEffectOfAGridStrideCopy) {
  facts["span"] = 1e-3;
  add_kernel("copy", 1e-3).grid = {1280, 1, 1};  // 1056 fit at once
  const auto found = find("tail-effect");
  ASSERT_TRUE(found);
  const double waves = 1280.0 / 1056;
  EXPECT_NEAR(found->gain, (2 - waves) / 2, 1e-9);
  EXPECT_TRUE(contains(found->evidence, "1.21 waves of 1056"));
}

TEST_F(FindingsTest, ATailThatOtherKernelsFillIsNone) {
  facts["span"] = 1e-3;
  add_kernel("scale", 1e-3, 4).grid = {1280, 1, 1};
  EXPECT_TRUE(find("tail-effect"));
  facts["kernel_overlap"] = 0.3;
  EXPECT_FALSE(find("tail-effect"));
}

TEST_F(FindingsTest, WholeWavesManyWavesAndOneWaveHaveNoTail) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("k", 1e-3);
  for (const std::uint32_t blocks : {1056U * 2, 1056U * 40 + 1, 1056U, 500U}) {
    kernel.grid = {blocks, 1, 1};
    EXPECT_FALSE(find("tail-effect")) << blocks;
  }
  kernel.grid = {1280, 1, 1};
  kernel.resident_blocks = 0;
  EXPECT_FALSE(find("tail-effect")) << "unknown";
}

TEST_F(FindingsTest, AKernelAtItsCeilingLosesNothingToTailOrOccupancy) {
  facts["span"] = 1e-3;
  asked.end_to_end = false;
  asked.time_s = 1e-3;
  asked.traffic.bytes_read = 0.97e-3 * ceilings.read_bytes_per_s;
  auto& kernel = add_kernel("k", 1e-3);
  kernel.grid = {1280, 1, 1};
  kernel.resident_blocks = 1;
  kernel.grid = {200, 1, 1};
  EXPECT_FALSE(find("tail-effect"));
  EXPECT_FALSE(find("low-occupancy"));
  EXPECT_TRUE(find("memory-bound"));
}

TEST_F(FindingsTest, LowOccupancyNamesWhatLimitsIt) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("tile", 1e-3);
  kernel.resident_blocks = 2;
  kernel.limiter = OccupancyLimiter::shared_memory;
  kernel.dynamic_shared_bytes = 100'000;
  const auto found = find("low-occupancy");
  ASSERT_TRUE(found);
  EXPECT_TRUE(contains(found->evidence, "25 %"));
  EXPECT_TRUE(contains(found->evidence, "limited by shared memory"));
  EXPECT_TRUE(contains(found->evidence, "100 kB of shared memory"));
  EXPECT_TRUE(contains(found->advice, "smaller tiles"));
  profile.kernels.front().resident_blocks = 4;
  EXPECT_FALSE(find("low-occupancy")) << "half of the threads is enough";
}

TEST_F(FindingsTest, LowOccupancyIsAWarningOnlyWhereMoreThreadsCouldHelp) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("tile", 1e-3);
  kernel.resident_blocks = 2;
  EXPECT_EQ(find("low-occupancy")->severity, Severity::note) << "nothing tells how busy it is";
  kernel.counters = {{"issue_active", 0.3}};
  EXPECT_EQ(find("low-occupancy")->severity, Severity::warning);
  kernel.counters = {{"issue_active", 0.8}};
  EXPECT_FALSE(find("low-occupancy")) << "its few threads keep the schedulers busy";
}

TEST_F(FindingsTest, AGridOfFewBlocksAMultiprocessorHasLowOccupancyToo) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("tile", 1e-3);
  kernel.counters = {{"issue_active", 0.3}};
  kernel.grid = {300, 1, 1};
  EXPECT_EQ(find("low-occupancy")->severity, Severity::warning);
  EXPECT_TRUE(contains(find("low-occupancy")->evidence, "because the grid is small: 300 blocks"));
  EXPECT_FALSE(find("small-grid"));
  kernel.grid = {2 * 132, 1, 1};
  EXPECT_FALSE(find("low-occupancy")) << "two for each, as was chosen";
  kernel.grid = {132 * 8 - 1, 1, 1};
  EXPECT_FALSE(find("low-occupancy")) << "nearly all that fit";
}

TEST_F(FindingsTest, ABlockThatFillsAMultiprocessorWasDesignedTo) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("large_tile", 1e-3);
  kernel.counters = {{"issue_active", 0.3}};
  kernel.resident_blocks = 1;
  EXPECT_EQ(find("low-occupancy")->severity, Severity::note);
  kernel.resident_blocks = 2;
  EXPECT_EQ(find("low-occupancy")->severity, Severity::warning);
}

TEST_F(FindingsTest, TheShareOfAWholePipelineSaysNothingOfItsKernels) {
  facts["span"] = 1e-3;
  asked.time_s = 4e-3;
  asked.traffic.bytes_read = 0.9e-3 * ceilings.read_bytes_per_s;
  auto& kernel = add_kernel("k", 1e-3);
  kernel.resident_blocks = 2;
  EXPECT_EQ(find("low-occupancy")->severity, Severity::note) << "nobody knows how near it is";
  kernel.counters = {{"dram_throughput", 0.9}};
  EXPECT_FALSE(find("low-occupancy"));
  EXPECT_FALSE(find("memory-bound")) << "the kernel is, and is a quarter of the time";
}

}  // namespace
}  // namespace apod::look
