// Grids, arithmetic, ceilings and the host: where each rule speaks, and where it must not.

#include "tests/benchmarks/inspect/evidence.hpp"

namespace apod::inspect {
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
  EXPECT_NE(found->evidence.find("8 blocks of 256 threads (the longest of 20 shapes)"),
            std::string::npos)
      << found->evidence;
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
  EXPECT_NE(found->evidence.find("1.21 waves of 1056"), std::string::npos) << found->evidence;
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
  EXPECT_NE(found->evidence.find("25 %"), std::string::npos);
  EXPECT_NE(found->evidence.find("limited by shared memory"), std::string::npos);
  EXPECT_NE(found->evidence.find("100 kB of shared memory"), std::string::npos) << found->evidence;
  EXPECT_NE(found->advice.find("smaller tiles"), std::string::npos);
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
  kernel.counters.clear();
  kernel.grid = {263, 1, 1};
  EXPECT_FALSE(find("low-occupancy")) << "the grid has no more blocks";
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

TEST_F(FindingsTest, AccidentalDoublesAreAddsWithoutMultiplies) {
  facts["span"] = 1e-3;
  asked.traffic.flops_fp32 = 1e9;
  auto& kernel = add_kernel("convolve(float const*)", 1e-3);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 13, .fp64_add = 13};
  auto found = find("fp64-in-fp32");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->evidence,
            "13 FP64 adds and no FP64 multiplies in SASS in a case that asks for no FP64");
  EXPECT_NE(found->advice.find("make the accumulator a float"), std::string::npos);
  EXPECT_EQ(found->gain, 0) << "code as written tells no time";

  profile.kernels.front().counters = {{"dadd", 1e9}, {"dmul", 0}, {"dfma", 0}, {"fmul", 1e9}};
  found = find("fp64-in-fp32");
  EXPECT_NE(found->evidence.find("1000000000 FP64 adds and no FP64 multiplies executed"),
            std::string::npos);
  EXPECT_NEAR(found->gain, (2e9 / 33.2e12 - 2e9 / 62.8e12) / 1e-3, 1e-9);
}

TEST_F(FindingsTest, ConstantsOfDoubleAreAnotherAdvice) {
  asked.traffic.flops_fp32 = 1e9;
  add_kernel("k", 1e-3).instructions =
      InstructionMix{.source = "PTX", .fp64_mul = 2, .fp64_fma = 1};
  EXPECT_EQ(find("fp64-in-fp32")->severity, Severity::warning);
  EXPECT_EQ(find("fp64-in-fp32")->evidence,
            "no FP64 adds, 2 FP64 multiplies and 1 fused in PTX in a case that asks for no FP64");
  EXPECT_NE(find("fp64-in-fp32")->advice.find("2.0f"), std::string::npos);
}

TEST_F(FindingsTest, AMultiplicationInTheCodeMayBeThatOfSinf) {
  asked.traffic.flops_fp32 = 1e9;
  auto& kernel = add_kernel("k", 1e-3);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 20, .fp64_mul = 1};
  EXPECT_EQ(find("fp64-in-fp32")->severity, Severity::note);
  EXPECT_NE(find("fp64-in-fp32")->advice.find("--counters"), std::string::npos);
  kernel.counters = {{"dadd", 0}, {"dmul", 1e6}, {"dfma", 0}, {"ffma", 1e6}};
  EXPECT_EQ(find("fp64-in-fp32")->severity, Severity::warning) << "it is executed";
  kernel.counters["dmul"] = 0;
  EXPECT_FALSE(find("fp64-in-fp32")) << "it is not";
}

TEST_F(FindingsTest, Fp64ThatWasAskedForIsNoFinding) {
  asked.traffic.flops_fp32 = 1e9;
  auto& kernel = add_kernel("k", 1e-3);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 20};
  EXPECT_FALSE(find("fp64-in-fp32")) << "there is none";
  kernel.instructions->fp64_add = 13;
  asked.traffic.flops_fp64 = 1e9;
  EXPECT_FALSE(find("fp64-in-fp32")) << "asked for";
  asked.traffic = {.flops_fp32 = 1e9};
  kernel.counters = {{"dadd", 1}, {"dmul", 0}, {"dfma", 0}, {"ffma", 1e9}};
  EXPECT_FALSE(find("fp64-in-fp32")) << "written, but next to never executed";
  foreign = true;
  EXPECT_FALSE(find("fp64-in-fp32")) << "nobody knows what was asked";
}

TEST_F(FindingsTest, Fp64OfARareKernelIsANoteAndOfACaseThatStatesNoArithmeticNothing) {
  asked.traffic.flops_fp32 = 1e9;
  facts["span"] = 1e-3;
  add_kernel("work", 1e-3);
  auto& kernel = add_kernel("init", 1e-6);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 20, .fp64_add = 1};
  EXPECT_EQ(find("fp64-in-fp32")->severity, Severity::note);
  asked.traffic.flops_fp32 = 0;
  EXPECT_FALSE(find("fp64-in-fp32")) << "a sort of doubles, say";
}

TEST_F(FindingsTest, UnusedTensorCoresByShapeAndByType) {
  facts["span"] = 1e-3;
  params.set("m", std::int64_t{1001});
  params.set("n", std::int64_t{4096});
  params.set("k", std::int64_t{4096});
  auto& kernel = add_kernel("gemm", 1e-3);
  EXPECT_FALSE(find("unused-tensor-cores")) << "nothing is known of its instructions";
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 100};
  auto found = find("unused-tensor-cores");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::note) << "fp32 may be meant";
  EXPECT_NE(found->evidence.find("m 1001 is no multiple of 8"), std::string::npos);
  EXPECT_EQ(found->advice.find("allow TF32"), 0U) << "no padding brings fp32 there";
  kernel.instructions->fp16 = 400;
  found = find("unused-tensor-cores");
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_EQ(found->advice, "pad the shape to multiples of 8");
  params.set("m", std::int64_t{1024});
  EXPECT_EQ(find("unused-tensor-cores")->severity, Severity::warning);
  kernel.instructions->tensor = 8;
  EXPECT_FALSE(find("unused-tensor-cores"));
}

TEST_F(FindingsTest, OnlyFloatingPointProductsMissTheTensorCores) {
  facts["span"] = 1e-3;
  for (const char* side : {"m", "n", "k"}) params.set(side, std::int64_t{1024});
  auto& kernel = add_kernel("gemm", 1e-3);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 2, .fp64_fma = 100};
  EXPECT_FALSE(find("unused-tensor-cores")) << "fp64";
  kernel.instructions = InstructionMix{.source = "SASS", .all = 500};
  EXPECT_FALSE(find("unused-tensor-cores")) << "integers";
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 100, .fp16 = 1};
  EXPECT_EQ(find("unused-tensor-cores")->severity, Severity::note) << "one conversion";
  add_kernel("wmma", 4e-3).instructions = InstructionMix{.source = "SASS", .tensor = 64};
  EXPECT_FALSE(find("unused-tensor-cores")) << "it adds up what the other one leaves";
}

TEST_F(FindingsTest, ArithmeticOfElementsNeedsNoTensorCores) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("scale", 1e-3);
  kernel.instructions = InstructionMix{.source = "SASS", .fp32 = 100, .fp16 = 4};
  EXPECT_FALSE(find("unused-tensor-cores"));
  kernel.instructions->fp16 = 400;
  EXPECT_TRUE(find("unused-tensor-cores"));
}

TEST_F(FindingsTest, LibrariesNameTheirProductsOnOrdinaryCores) {
  foreign = true;
  facts["span"] = 1e-3;
  add_kernel("void implicit_convolve_sgemm<__half, __half, 128>(int)", 0.1e-3);
  add_kernel("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_ffma_aligna4", 0.3e-3);
  add_kernel("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_tn", 0.6e-3);
  const auto found = find("unused-tensor-cores");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_NE(found->evidence.find("40 % of the device's time (2 kernels"), std::string::npos);
  profile.kernels.erase(profile.kernels.begin());
  EXPECT_EQ(find("unused-tensor-cores")->severity, Severity::note) << "fp32 may be meant";
  profile.kernels.erase(profile.kernels.begin());
  EXPECT_FALSE(find("unused-tensor-cores"));
}

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

TEST_F(FindingsTest, ItsCodeTellsWhetherAKernelLoadsAsynchronously) {
  facts["span"] = 1e-3;
  auto& kernel = add_kernel("gather", 1e-3);
  kernel.counters = {{"global_load_bytes", 128},
                     {"global_load_sectors", 80},
                     {"global_store_bytes", 128},
                     {"global_store_sectors", 16}};
  kernel.instructions = InstructionMix{.source = "SASS", .global_loads = 2};
  EXPECT_EQ(find("uncoalesced-access")->evidence,
            "its loads of global memory use 5.0 %, its stores 25 % of the bytes in the sectors "
            "that they touch");
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
  EXPECT_NE(found->evidence.find("fp32: 56.5 TFLOP/s of the 62.8 TFLOP/s measured, 90 %"),
            std::string::npos)
      << found->evidence;
  EXPECT_FALSE(find("memory-bound"));
  asked.time_s = 1;
  EXPECT_FALSE(find("compute-bound")) << "far from it";
}

TEST_F(FindingsTest, CacheResidentIsAboveTheMemorysCeiling) {
  asked.end_to_end = false;
  asked.cold = false;
  asked.time_s = 1e-3;
  asked.traffic.bytes_read = 5106e6;
  const auto found = find("cache-resident");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->evidence,
            "5.11 TB/s is above the 4.55 TB/s that device memory was measured to give");
  EXPECT_NE(found->advice.find("cache: cold"), std::string::npos);
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
            "the L2 cache moves data at 70 % of the peak rate, counted");
  profile.kernels.front().counters = {{"dram_throughput", 0.3}, {"issue_active", 0.2}};
  EXPECT_FALSE(find("memory-bound"));
  EXPECT_FALSE(find("compute-bound"));
}

TEST_F(FindingsTest, AllocationInLoop) {
  facts["span"] = 1e-3;
  add_kernel("k", 0.5e-3);
  add_call("cudaMalloc", 0.2e-3, 1);
  add_call("cudaFree", 0.1e-3, 1);
  asked.time_s = 2e-3;
  const auto found = find("allocation-in-loop");
  ASSERT_TRUE(found);
  EXPECT_NE(found->evidence.find("cudaMalloc 1 time, cudaFree 1 time"), std::string::npos);
  EXPECT_NEAR(found->gain, 0.15, 1e-9) << "of the time that it takes untraced";
  asked.end_to_end = false;
  EXPECT_EQ(find("allocation-in-loop")->gain, 0) << "not in the time";
  foreign = true;
  EXPECT_FALSE(find("allocation-in-loop")) << "another program sets itself up once";
}

TEST_F(FindingsTest, AllocationFromAPoolAndSetUpAreNoFinding) {
  facts["span"] = 1e-3;
  add_kernel("k", 0.5e-3, 100);
  add_call("cudaMallocAsync", 0.5e-3, 100);
  EXPECT_FALSE(find("allocation-in-loop"));
  foreign = true;
  add_call("cudaMalloc", 0.2e-3, 3);
  EXPECT_FALSE(find("allocation-in-loop"));
  add_call("cudaMalloc", 0.2e-3, 100);
  EXPECT_FALSE(find("allocation-in-loop")) << "all of them before the first kernel";
  profile.calls.back().among_kernels = tally(0.1e-3, 50);
  EXPECT_NEAR(find("allocation-in-loop")->gain, 0.1, 1e-9);
}

TEST_F(FindingsTest, JitAtStartByOverheadsOrByCalls) {
  facts["span"] = 1;
  foreign = true;
  add_call("cuModuleLoadData", 0.2, 3);
  EXPECT_NEAR(find("jit-at-start")->gain, 0.2 / 1.2, 1e-9);
  profile.overheads["compiler"] = tally(0.15, 3);
  EXPECT_NEAR(find("jit-at-start")->gain, 0.15 / 1.15, 1e-9) << "the calls did the same";
  profile.overheads = {{"lazy function loading", tally(0.25, 3)}};
  EXPECT_NEAR(find("jit-at-start")->gain, 0.2, 1e-9);
  profile.overheads.clear();
  profile.calls.front().time = tally(0.01, 3);
  profile.overheads["buffer flush"] = tally(0.5, 3);
  EXPECT_FALSE(find("jit-at-start"));
}

TEST_F(FindingsTest, ThrottledSamplesAreAWarning) {
  facts = {{"throttled", 5}, {"samples", 95}, {"sm_clock", 1755}};
  device.max_sm_clock_mhz = 1980;
  const auto found = find("throttled");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->evidence,
            "5 samples were taken while the device was slowed for heat or power, at a mean clock "
            "of 1755 MHz of 1980");
  facts["samples"] = 10000;
  EXPECT_FALSE(find("throttled"));
}

}  // namespace
}  // namespace apod::inspect
