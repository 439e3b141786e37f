// What costs time in the steps of a program, and what each cause costs at most.

#include <gtest/gtest.h>

#include "benchmarks/base/steps.hpp"
#include "tests/benchmarks/look/evidence.hpp"
#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

constexpr double milli = 1e-3;

/// Ten steps of 20 ms with 10 ms of kernels.
class StepRules : public FindingsTest {
 protected:
  StepRules() {
    steps.by = StepsBy::ranges;
    steps.name = "step N";
    steps.found = 11;
    Step step{"", 0, 20'000'000, {}, 0};
    step.parts[StepPart::kernels] = 10 * milli;
    for (int i = 1; i <= 10; ++i) {
      step.name = "step " + std::to_string(i);
      steps.steady.push_back(step);
    }
    steps.kernels = 1000;
    steps.launches_a_step = 100;
    steps.launches_known = true;
    add_kernel("mine", 100 * milli, 1000);
    facts["span"] = 200 * milli;
    facts["busy"] = 0.5;
  }
  void spend(StepPart part, double seconds) {
    for (auto& step : steps.steady) step.parts[part] += seconds;
  }
  std::vector<Finding> found(Framework framework = Framework::cuda) const {
    return findings({.profile = profile,
                     .facts = facts,
                     .device = device,
                     .ceilings = with_ceilings ? &ceilings : nullptr,
                     .steps = &steps,
                     .framework = framework,
                     .is_range = is_range});
  }
  std::optional<Finding> find_step(const std::string& id,
                                   Framework framework = Framework::cuda) const {
    for (const auto& finding : found(framework)) {
      if (finding.id == id) return finding;
    }
    return std::nullopt;
  }

  Steps steps;
  bool is_range = false;
};

TEST_F(StepRules, ABusyStepHasNoCause) {
  spend(StepPart::between, 0.05 * milli);
  for (const auto& finding : found()) EXPECT_EQ(finding.severity, Severity::note) << finding.id;
}

TEST_F(StepRules, ReadsOfAFewValuesAreACauseOfTheirOwn) {
  spend(StepPart::launching, 6 * milli);
  spend(StepPart::no_call, 2 * milli);
  const auto alone = find_step("many-small-kernels", Framework::pytorch);
  ASSERT_TRUE(alone);
  EXPECT_FALSE(find_step("blocking-reads"));
  Parts waits;
  waits[StepPart::launching] = 0.5 * milli;
  waits[StepPart::no_call] = 0.2 * milli;
  steps.reads.count = 80;
  for (int i = 0; i < 80; ++i) steps.reads.add(waits, i < 50 ? "after backward" : "");
  const auto finding = find_step("blocking-reads", Framework::pytorch);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->evidence,
            "the host reads a few values 8 times per step and waits for them, mostly after "
            "backward; the device waits 4 ms for these reads and the launches behind them");
  EXPECT_TRUE(contains(finding->advice, ".item()"));
  EXPECT_NEAR(finding->gain, 4.0 / 18, 1e-9);
  // No time is counted twice, that of the copies neither.
  steps.reads.parts[StepPart::copies] = 10 * milli;
  spend(StepPart::copies, 1 * milli);
  add_copy(on_device, pinned, 320, 10 * milli).time.count = 80;
  EXPECT_NEAR(find_step("blocking-reads")->gain, 5.0 / 19, 1e-9);
  EXPECT_FALSE(find_step("exposed-copies"));
  for (auto& step : steps.steady) step.parts[StepPart::copies] = 0;
  EXPECT_NEAR(find_step("many-small-kernels")->gain, alone->gain - finding->gain, 1e-9);
  EXPECT_NEAR(find_step("host-bound")->gain, 2.0 / 18, 1e-9) << "the host itself is slow";
}

TEST_F(StepRules, KernelsThatOnlyCopyAreACause) {
  const std::string cat = "void at::native::CatArrayBatchedCopy<float, int, 2>(float*)";
  add_kernel(cat, 60 * milli, 200);
  steps.launched[cat]["in forward"] = 60 * milli;
  const auto finding = find_step("copying-kernels", Framework::pytorch);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::warning);
  EXPECT_NEAR(finding->gain, 6.0 / 10, 1e-9);
  EXPECT_EQ(finding->evidence,
            "kernels that only copy take 6 ms a step (most at::native::CatArrayBatchedCopy in "
            "forward)");
  EXPECT_TRUE(contains(finding->advice, "torch.cat"));
  // They cost nothing while the host is the limit.
  spend(StepPart::no_call, 30 * milli);
  EXPECT_EQ(find_step("copying-kernels")->severity, Severity::note);
  profile.kernels.back().time = tally(4 * milli, 200);
  EXPECT_FALSE(find_step("copying-kernels"));
}

TEST_F(StepRules, CopiesOfAnotherLayoutMakeOtherKernelsSlow) {
  const std::string name = "void at::native::elementwise_kernel<128, 4, at::native::";
  add_kernel(name + "direct_copy_kernel_cuda>(int)", 40 * milli, 100);
  add_kernel(name + "CUDAFunctor_add<float>>(int)", 20 * milli, 100);
  const auto finding = find_step("copying-kernels", Framework::pytorch);
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->gain, 6.0 / 10, 1e-9);
  EXPECT_TRUE(contains(finding->evidence, "differ in layout or shape take 2 ms a step"));
  EXPECT_TRUE(contains(finding->advice, "memory format"));
  // They must run in any layout: at least as long as the fastest ones with one layout.
  for (auto& kernel : profile.kernels) kernel.grid = {1000, 1, 1};
  auto& fastest =
      add_kernel("void at::native::vectorized_elementwise_kernel<4, x>", 8 * milli, 100);
  fastest.grid = {1000, 1, 1};
  const auto less = find_step("copying-kernels", Framework::pytorch);
  EXPECT_NEAR(less->gain, 5.6 / 10, 1e-9);
  EXPECT_TRUE(contains(less->evidence, "take 2 ms a step, at least 400 us in any layout"));
}

TEST_F(StepRules, DoublePrecisionCostsAtMostTheHalfOfItsTimeOrWhatTheRatesSay) {
  add_kernel("cupy_multiply__float64_complex128_complex128", 60 * milli, 100);
  const auto finding = find_step("fp64-kernels", Framework::cupy);
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->gain, 0.5 * 6.0 / 10, 1e-9);
  EXPECT_TRUE(contains(finding->evidence, "in double precision take 6 ms a step"));
  EXPECT_TRUE(contains(finding->advice, "float32"));
  ceilings.fp64_flops = ceilings.fp32_flops / 64;
  EXPECT_NEAR(find_step("fp64-kernels")->gain, 63.0 / 64 * 6.0 / 10, 1e-9);
  ceilings.fp64_flops = ceilings.fp32_flops / 2;
  profile.kernels.back().name = "cupy_true_divide__float64_float_float64";
  EXPECT_NEAR(find_step("fp64-kernels")->gain, 6.0 / 10, 1e-9) << "half is no bound";
  EXPECT_TRUE(contains(find_step("fp64-kernels")->evidence, "6 ms a step of this for divisions"));
  // Code is believed more than a name.
  profile.kernels.back().instructions = InstructionMix{.source = "SASS", .fp32 = 9, .fp64_mul = 1};
  EXPECT_FALSE(find_step("fp64-kernels"));
}

TEST_F(StepRules, DataThatComesBackAsItWentMayStay) {
  spend(StepPart::copies, 10 * milli);
  add_copy(MemoryKind::pageable, MemoryKind::device, 500'000'000, 60 * milli);
  EXPECT_FALSE(contains(find_step("exposed-copies")->advice, "keep data on the device"));
  add_copy(MemoryKind::device, MemoryKind::pageable, 500'000'000, 40 * milli);
  EXPECT_TRUE(contains(find_step("exposed-copies")->advice, "keep data on the device"));
  EXPECT_TRUE(
      contains(find_step("exposed-copies", Framework::numba)->advice, "cuda.to_device once"));
}

TEST_F(StepRules, AFewGraphsAreNoProgramOfGraphs) {
  spend(StepPart::launching, 6 * milli);
  add_call("cuGraphLaunch", 1 * milli, 100);
  add_call("cuLaunchKernel", 1 * milli, 1000);
  EXPECT_TRUE(contains(find_step("many-small-kernels", Framework::jax)->advice, "jax.jit"));
  profile.calls.pop_back();
  EXPECT_TRUE(contains(find_step("many-small-kernels", Framework::jax)->advice, "graphs"));
}

TEST_F(StepRules, StreamsThatWorkOneAfterAnotherAreNotAdvisedToBeStreams) {
  spend(StepPart::copies, 10 * milli);
  add_copy(MemoryKind::pinned, MemoryKind::device, 5'500'000'000, 100 * milli);
  facts["traced_streams"] = 1;
  EXPECT_TRUE(contains(find_step("exposed-copies")->advice, "separate streams"));
  facts["traced_streams"] = 4;
  auto finding = find_step("exposed-copies");
  EXPECT_TRUE(contains(finding->evidence, "though 4 streams are used"));
  EXPECT_FALSE(contains(finding->advice, "separate streams"));
  const auto lane = [](const char* name, const char* what, std::int64_t ns) {
    return Lane{name, "copies", {what}, {0}, {0}, {ns}, {1}};
  };
  profile.lanes = {lane("stream 7", "memset", 1'000), lane("stream 13", "HtoD", 100'000)};
  finding = find_step("exposed-copies");
  EXPECT_TRUE(contains(finding->evidence, "; memset runs on the legacy default stream"));
  EXPECT_TRUE(contains(finding->advice, "cudaStreamNonBlocking"));
  EXPECT_FALSE(contains(find_step("exposed-copies", Framework::pytorch)->evidence, "default"))
      << "its streams do not wait for that one";
  profile.lanes[0].length_ns[0] = 50'000;  // the program works on that stream
  EXPECT_FALSE(contains(find_step("exposed-copies")->evidence, "default"));
}

TEST_F(StepRules, AKernelSavesNoMoreThanItTakesOfAStep) {
  // The timeline ends with the last operation, the last step only with its host.
  facts["span"] = 0.9 * 200 * milli;
  auto& lone = add_kernel("lone", 40 * milli, 10);
  lone.grid = lone.block = {1, 1, 1};
  for (auto& step : steps.steady) {
    step.parts[StepPart::kernels] = 14 * milli;
    step.parts[StepPart::no_call] = 6 * milli;
  }
  const auto finding = find_step("single-thread-kernel");
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->gain, 4.0 / 20, 1e-9);
  EXPECT_EQ(finding->evidence, "one block of one thread, 1 launch of 4 ms a step");
}

TEST_F(StepRules, APauseBetweenStepsIsTheDataLoaders) {
  spend(StepPart::no_call, 10 * milli);
  for (auto& step : steps.steady) step.outside_s = 8 * milli;
  const auto finding = find_step("host-bound", Framework::pytorch);
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->gain, 0.5, 1e-9);
  EXPECT_EQ(finding->severity, Severity::warning);
  EXPECT_TRUE(contains(finding->evidence, "between steps, the host makes no CUDA call for 8 ms"));
  EXPECT_EQ(finding->advice, "move Python work out of the loop") << "no data is loaded";
  add_copy(pinned, on_device, 1'000'000, 0.1 * milli).time.count = 10;
  EXPECT_TRUE(contains(find_step("host-bound", Framework::pytorch)->advice, "num_workers="));
  EXPECT_TRUE(contains(find_step("host-bound", Framework::jax)->advice, "jax.device_put"));
  steps.by = StepsBy::nothing;
  EXPECT_TRUE(contains(find_step("host-bound", Framework::pytorch)->advice, "py-spy"));
  EXPECT_FALSE(find_step("idle-gaps")) << "idle time never leads without its cause";
}

TEST_F(StepRules, CodeThatIsCompiledInEachStepIsTheCause) {
  spend(StepPart::no_call, 10 * milli);
  Tally time;
  for (int i = 0; i < 10; ++i) time.add(9 * milli);
  profile.ranges.push_back({"TSL", "XlaCompile:#module=jit_track#", time});
  const auto finding = find_step("host-bound", Framework::jax);
  ASSERT_TRUE(finding);
  EXPECT_TRUE(contains(finding->evidence, "while the host compiles, for 9 ms per step"));
  EXPECT_TRUE(contains(finding->advice, "pad inputs to a few shapes"));
  profile.ranges.back().time = {};
  profile.ranges.back().time.add(9 * milli);  // once
  EXPECT_FALSE(contains(find_step("host-bound", Framework::jax)->evidence, "compiles"));
}

TEST_F(StepRules, ValuesThatAreReadOneByOneAreNotCopiedAhead) {
  spend(StepPart::copies, 1 * milli);
  auto& copy = add_copy(on_device, pinned, 10 * 20 * 4, 10 * milli);
  copy.time.count = 200;
  const auto finding = find_step("exposed-copies", Framework::pytorch);
  ASSERT_TRUE(finding);
  EXPECT_TRUE(contains(finding->evidence, "20 copies of 80 B in all, mostly"));
  EXPECT_TRUE(contains(finding->advice, ".item()"));
  copy.bytes = 100'000'000;
  EXPECT_FALSE(contains(find_step("exposed-copies", Framework::pytorch)->advice, ".item()"));
}

TEST_F(StepRules, WithoutCallsTheCauseOfIdleTimeIsNotKnown) {
  spend(StepPart::no_call, 10 * milli);
  steps.launches_known = false;
  const auto finding = find_step("host-bound", Framework::pytorch);
  ASSERT_TRUE(finding);
  EXPECT_TRUE(contains(finding->evidence, "the recording has no calls of the host"));
}

TEST_F(StepRules, OneKernelIsNotMany) {
  spend(StepPart::launching, 10 * milli);
  profile.kernels.clear();
  add_kernel("softmax", 1 * milli, 10);
  steps.kernels = 10;
  const auto finding = find_step("many-small-kernels", Framework::pytorch);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->evidence,
            "the device waits 10 ms per step for the launch of softmax, which runs for 100 us");
  EXPECT_EQ(finding->advice.find("torch.compile"), std::string::npos) << "it is one kernel already";
}

TEST_F(StepRules, ACopyThatIsMadeOnceIsNotWorthPinnedMemory) {
  spend(StepPart::copies, 5 * milli);
  add_copy(pageable, on_device, 550'000'000, 50 * milli);
  steps.by = StepsBy::nothing;
  const auto finding = find_step("exposed-copies", Framework::pytorch);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->evidence.find("pinned"), std::string::npos) << finding->evidence;
  EXPECT_EQ(finding->advice.find("pin"), std::string::npos) << finding->advice;
  is_range = true;
  EXPECT_TRUE(contains(find_step("exposed-copies", Framework::pytorch)->advice, "pin_memory"));
}

TEST_F(StepRules, ProductsInPlainFp32AreRankedByWhatTheTensorCoresSave) {
  device.compute_capability = "9.0";
  add_kernel("ampere_sgemm_128x64_nn", 80 * milli, 10);
  with_ceilings = false;
  const auto finding = find_step("unused-tensor-cores", Framework::pytorch);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, Severity::warning);
  EXPECT_NEAR(finding->gain, 0.8, 1e-6) << "at most, as no ceiling is known";
  with_ceilings = true;
  ceilings.fp32_flops = 50e12;
  ceilings.flops(Number::tf32) = 400e12;
  EXPECT_NEAR(find_step("unused-tensor-cores", Framework::pytorch)->gain, 0.7, 1e-6);
  spend(StepPart::no_call, 30 * milli);
  EXPECT_EQ(find_step("unused-tensor-cores")->severity, Severity::note) << "not the limit";
}

TEST_F(StepRules, AdviceOnCommunicationIsForItsMessagesAndItsOverlap) {
  spend(StepPart::communication, 5 * milli);
  auto& kernel = add_kernel("ncclDevKernel_AllReduce", 50 * milli, 10);
  const auto advice = [&] {
    return find_step("exposed-communication", Framework::pytorch)->advice;
  };
  EXPECT_TRUE(contains(advice(), "async_op=True"));
  steps.launched["mine"]["in backward"] = 1;
  EXPECT_TRUE(contains(advice(), "async_op=True")) << "larger buckets are no help: none overlaps";
  kernel.time = tally(150 * milli, 10);
  EXPECT_TRUE(contains(advice(), "no_sync()"));
  kernel.time = tally(50 * milli, 1000);
  EXPECT_TRUE(contains(advice(), "one flat tensor"));
  EXPECT_TRUE(contains(find_step("exposed-communication")->evidence, "each takes only 50 us"));
  EXPECT_TRUE(contains(find_step("exposed-communication")->advice, "ncclGroupStart"));
}

TEST_F(StepRules, DataThatGoThroughTheHostMayGoFromDeviceToDevice) {
  spend(StepPart::no_call, 10 * milli);
  add_copy(pinned, on_device, 100'000'000, 1 * milli);
  steps.wait = {"mine", "HtoD", "between steps", tally(90 * milli, 10), 100 * milli};
  const auto finding = [&] { return *find_step("host-bound", Framework::jax); };
  EXPECT_FALSE(contains(finding().evidence, "from other devices"));
  steps.others_bytes = 8e6;
  EXPECT_TRUE(contains(finding().evidence,
                       "meanwhile 8 MB per step go from other devices to the host, and 10 MB from "
                       "it to this device"));
  EXPECT_TRUE(contains(finding().advice, "array of the other device"));
  steps.others_bytes = 4e6;
  EXPECT_FALSE(contains(finding().evidence, "from other devices")) << "other data";
  steps.others_bytes = 8e6;
  steps.wait.before = "mine";
  EXPECT_FALSE(contains(finding().evidence, "from other devices")) << "it waits elsewhere";
}

TEST_F(StepRules, LateKernelsAreNamedByTheirPlace) {
  spend(StepPart::launching, 10 * milli);
  steps.late = {
      {"after backward", tally(4 * milli, 2000), tally(80 * milli, 2000), tally(32 * milli, 2000)},
      {"in forward", tally(1 * milli, 100), tally(20 * milli, 100), {}}};
  const auto finding = find_step("many-small-kernels", Framework::pytorch);
  ASSERT_TRUE(finding);
  EXPECT_NEAR(finding->gain, 0.5, 1e-9);
  EXPECT_TRUE(contains(finding->evidence, "210 of 100 kernels wait for their launch"));
  EXPECT_TRUE(contains(finding->evidence,
                       "most after backward (2 us each, launched every 16 us): the optimizer"));
  EXPECT_TRUE(contains(finding->advice, "fused=True"));
}

TEST_F(StepRules, CopiesSaveNoMoreThanPinnedMemoryAndKernelsAllow) {
  spend(StepPart::copies, 5 * milli);
  add_copy(pageable, on_device, 550'000'000, 50 * milli);
  const auto hidden = find_step("exposed-copies");
  ASSERT_TRUE(hidden);
  EXPECT_NEAR(hidden->gain, 5.0 / 15, 1e-6) << "10 ms of kernels hide the millisecond that is left";
  EXPECT_TRUE(contains(hidden->evidence, "55 MB from pageable memory at 11 GB/s"));
  EXPECT_TRUE(contains(hidden->evidence, "with pinned memory, these copies take 1 ms"));
  EXPECT_TRUE(
      contains(hidden->advice, "pinned memory (cudaMallocHost); copy with cudaMemcpyAsync"));
  // Kernels of 0.2 ms hide no more than that.
  for (auto& step : steps.steady) step.parts[StepPart::kernels] = 0.2 * milli;
  EXPECT_NEAR(find_step("exposed-copies")->gain, 4.2 / 5.2, 1e-6);
}

TEST_F(StepRules, CopiesOfPageableMemorySayTheirDirection) {
  spend(StepPart::copies, 5 * milli);
  add_copy(on_device, pageable, 550'000'000, 50 * milli);
  EXPECT_TRUE(contains(find_step("exposed-copies")->evidence, "55 MB to pageable memory"));
  add_copy(pageable, on_device, 550'000'000, 50 * milli);
  EXPECT_TRUE(contains(find_step("exposed-copies")->evidence, "110 MB from and to pageable"));
}

TEST_F(StepRules, WaitsForLaunchesWithinTheCostOfRecordingAreANote) {
  spend(StepPart::launching, 0.2 * milli);  // 2 % of a step; recording 100 calls: 0.14 ms
  const auto within = find_step("many-small-kernels");
  ASSERT_TRUE(within);
  EXPECT_EQ(within->severity, Severity::note);
  EXPECT_TRUE(contains(within->evidence, "; recording takes up to 140 us"));
  steps.launches_a_step = 20;
  const auto beyond = find_step("many-small-kernels");
  EXPECT_EQ(beyond->severity, Severity::warning);
  EXPECT_FALSE(contains(beyond->evidence, "recording"));
  // Where the host makes no call, it launches nothing that could be recorded.
  steps.launches_a_step = 100;
  for (auto& step : steps.steady) step.parts[StepPart::launching] = 0;
  spend(StepPart::no_call, 0.3 * milli);
  EXPECT_EQ(find_step("host-bound")->severity, Severity::warning);
}

TEST_F(StepRules, PinnedCopiesOnOneStreamAreExposedToo) {
  spend(StepPart::copies, 5 * milli);
  add_copy(pinned, on_device, 2'750'000'000, 50 * milli);
  facts["traced_streams"] = 1;
  const auto finding = find_step("exposed-copies");
  ASSERT_TRUE(finding);
  EXPECT_TRUE(contains(finding->evidence, "while no kernel runs; all work is on one stream"));
  EXPECT_TRUE(finding->advice.starts_with("copy with cudaMemcpyAsync")) << "they are pinned";
}

TEST_F(StepRules, LaunchesOfLongWorkAreTheHosts) {
  spend(StepPart::launching, 3 * milli);
  steps.long_late_s = 10 * 2 * milli;
  const auto host = find_step("host-bound", Framework::pytorch);
  ASSERT_TRUE(host);
  EXPECT_NEAR(host->gain, 2.0 / 13, 1e-9);
  EXPECT_TRUE(contains(host->evidence, "waits 2 ms per step for long operations"));
  EXPECT_TRUE(contains(host->evidence, "because the host launches them late, after other calls"));
  EXPECT_TRUE(contains(host->advice, "torch.cuda.graph")) << "nothing waits";
  steps.behind_waits_s = 0.6 * steps.long_late_s;
  const auto waited = find_step("host-bound", Framework::pytorch);
  EXPECT_TRUE(contains(waited->evidence,
                       "because the host launches them late, after it waited for the device"));
  EXPECT_TRUE(contains(waited->advice, ".item()"));
  EXPECT_NEAR(find_step("many-small-kernels")->gain, 1.0 / 13, 1e-9);
  steps.late = {{"", tally(0.01 * milli, 10), tally(10 * milli, 10), {}}};
  EXPECT_TRUE(find_step("many-small-kernels")->evidence.starts_with("1 of 100 kernels waits for"));
}

TEST_F(StepRules, CopiesAndMemsetsCountAlikeOnBothSides) {
  spend(StepPart::copies, 5.5 * milli);
  add_copy(pinned, on_device, 2'750'000'000, 50 * milli);
  add_copy(on_device, on_device, 1'000, 6 * milli).name = "memset";
  EXPECT_TRUE(contains(find_step("exposed-copies")->evidence,
                       ", and memsets take 5.6 ms per step, 5.5 ms of this while no kernel runs"));
  add_copy(pageable, on_device, 1'000, 1 * milli);
  spend(StepPart::copy_calls, 2 * milli);
  EXPECT_TRUE(contains(find_step("exposed-copies")->evidence,
                       "; the device waits for another 2 ms during copy calls"));
}

TEST_F(StepRules, CopiesThatMostlyRunBesideKernelsAreOnStreamsOfTheirOwn) {
  spend(StepPart::copies, 2 * milli);
  add_copy(pinned, on_device, 2'750'000'000, 50 * milli);
  EXPECT_EQ(find_step("exposed-copies")->advice,
            "start the copies earlier, or copy in smaller pieces");
}

TEST_F(StepRules, SkewIsNotCountedAsCommunication) {
  spend(StepPart::communication, 10 * milli);
  add_kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(args)", 150 * milli, 80);
  steps.skew_s = 7 * milli;
  steps.last_device = 1;
  EXPECT_NEAR(find_step("exposed-communication")->gain, 3.0 / 20, 1e-6);
  EXPECT_TRUE(
      contains(find_step("exposed-communication")->evidence,
               "10 ms of 15 ms of communication run while no other kernel runs (8 kernels"));
  EXPECT_TRUE(contains(find_step("exposed-communication")->evidence, "7 ms of this is the wait"));
  const auto skew = find_step("rank-skew");
  ASSERT_TRUE(skew);
  EXPECT_NEAR(skew->gain, 7.0 / 20, 1e-6);
  EXPECT_EQ(skew->evidence.find("while no other kernel"), std::string::npos) << "all of it";
  EXPECT_TRUE(contains(skew->evidence, "device 1"));
  EXPECT_TRUE(contains(skew->advice, "balance the work"));
  steps.last_more_s = 7 * milli;
  steps.last_part = StepPart::launching;
  EXPECT_TRUE(contains(find_step("rank-skew")->advice, "why the host of the later device"));
  steps.last_wait = {"DtoH", "", "in forward", tally(6 * milli, 10), 7 * milli};
  EXPECT_TRUE(
      contains(find_step("rank-skew")->evidence, "launching, mostly after DtoH, in forward"));
  EXPECT_TRUE(contains(find_step("rank-skew", Framework::pytorch)->advice, "not objects"));
  steps.skew_s = 12 * milli;
  EXPECT_TRUE(contains(find_step("rank-skew")->evidence, "waits 12 ms per step"));
  EXPECT_TRUE(contains(find_step("rank-skew")->evidence, "at most 10 ms of this while no"));
  steps.skew_s = 0;
  EXPECT_FALSE(find_step("rank-skew"));
}

TEST_F(StepRules, GainsAddUpToNoMoreThanTheStep) {
  for (std::size_t i = 1; i < step_parts; ++i) spend(static_cast<StepPart>(i), 1 * milli);
  steps.late = {{"", tally(1 * milli, 100), tally(10 * milli, 100), {}}};
  add_copy(pageable, on_device, 1'000, 10 * milli);
  add_kernel("ncclDevKernel_AllReduce", 10 * milli);
  steps.skew_s = 0.5 * milli;
  double sum = 0;
  for (const auto& finding : found()) sum += finding.gain;
  EXPECT_GT(sum, 8.0 / 21);
  EXPECT_LE(sum, 11.0 / 21) << "no more than the parts that are no kernels";
}

TEST_F(StepRules, BelowOnePercentItIsANote) {
  spend(StepPart::allocating, 0.05 * milli);
  ASSERT_TRUE(find_step("allocation-in-loop"));
  EXPECT_EQ(find_step("allocation-in-loop")->severity, Severity::note);
  spend(StepPart::allocating, 0.2 * milli);
  EXPECT_EQ(find_step("allocation-in-loop")->severity, Severity::warning);
}

TEST_F(StepRules, ASlowStepIsToldWithItsReason) {
  EXPECT_FALSE(find_step("slow-step"));
  steps.steady[6].parts[StepPart::loading] += 30 * milli;
  steps.steady[6].end_ns += 30'000'000;
  const auto slow = find_step("slow-step");
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->subject, "step 7");
  EXPECT_TRUE(contains(slow->evidence, "30 ms more (loading code)"));
  EXPECT_EQ(slow->advice, "look at this step alone: --step 'step 7'");
  steps.steady[6].name = "step 7/1";
  EXPECT_EQ(find_step("slow-step")->advice, "look at this step alone: --step 'step 7'");
  steps.name = "step";
  steps.steady[6].name = "step/7";
  EXPECT_EQ(find_step("slow-step")->advice, "look at this step alone: --range 'step/7'");
  steps.by = StepsBy::launches;
  EXPECT_EQ(find_step("slow-step")->advice, "look at the timeline: --trace-out FILE.json");
}

TEST_F(StepRules, KernelsOfLibrariesAreNotAccusedOfTheirGrids) {
  const auto accused = [&](const std::string& name) {
    profile.kernels.clear();
    auto& kernel = add_kernel(name, 100 * milli, 10);
    kernel.grid = {24, 1, 1};
    return find_step("small-grid").has_value();
  };
  EXPECT_TRUE(accused("mine"));
  for (const char* library :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>",
        "sm80_xmma_fprop_implicit_gemm_f32f32", "DelayKernel",
        "void at::native::vectorized_elementwise_kernel<4>", "nvjet_hsh_128x80_64x8"}) {
    EXPECT_FALSE(accused(library)) << library;
  }
}

}  // namespace
}  // namespace apod::look
