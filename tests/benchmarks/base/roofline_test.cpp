#include "benchmarks/base/roofline.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/benchmarks/base/summaries.hpp"

namespace apod {
namespace {

Ceilings h200() {
  Ceilings ceilings;
  ceilings.read_bytes_per_s = 4000;
  ceilings.copy_bytes_per_s = 3000;
  ceilings.fp32_flops = 60000;
  ceilings.fp64_flops = 30000;
  ceilings.tensor_fp16_flops = 600000;
  ceilings.tensor_tf32_flops = 300000;
  ceilings.tensor_bf16_flops = 630000;
  ceilings.h2d_pinned_bytes_per_s = 50;
  ceilings.d2h_pinned_bytes_per_s = 40;
  ceilings.launch_s = 0.01;
  return ceilings;
}

TEST(Roofline, AReadAndACopyReachTheirOwnCeilings) {
  const auto read = roofline({.traffic = {.bytes_read = 3600}, .time_s = 1}, h200());
  EXPECT_EQ(read.bound, Bound::memory);
  EXPECT_DOUBLE_EQ(read.share, 0.9);
  const auto copy =
      roofline({.traffic = {.bytes_read = 1500, .bytes_written = 1500}, .time_s = 1}, h200());
  EXPECT_DOUBLE_EQ(copy.share, 1);
  EXPECT_DOUBLE_EQ(copy.ceiling, 3000);
}

TEST(Roofline, AMixtureIsACopyAndARead) {
  const auto mixed =
      roofline({.traffic = {.bytes_read = 2000, .bytes_written = 1000}, .time_s = 1}, h200());
  EXPECT_DOUBLE_EQ(mixed.share, 2000.0 / 3000 + 1000.0 / 4000);
}

TEST(Roofline, IntensityAndRidgeDecideBetweenMemoryAndArithmetic) {
  const auto low =
      roofline({.traffic = {.bytes_read = 4000, .flops_fp32 = 40000}, .time_s = 1}, h200());
  EXPECT_EQ(low.bound, Bound::memory);
  EXPECT_DOUBLE_EQ(low.intensity, 10);
  EXPECT_DOUBLE_EQ(low.ridge, 15);
  const auto high =
      roofline({.traffic = {.bytes_read = 2000, .flops_fp32 = 54000}, .time_s = 1}, h200());
  EXPECT_EQ(high.bound, Bound::fp32);
  EXPECT_DOUBLE_EQ(high.share, 0.9);
  EXPECT_EQ(roofline({.traffic = {.flops_fp64 = 27000}, .time_s = 1}, h200()).bound, Bound::fp64);
}

TEST(Roofline, TensorWorkIsHeldAgainstTheRateOfItsType) {
  const auto fp16 = roofline({.traffic = {.flops_tensor = 540000}, .time_s = 1}, h200());
  EXPECT_EQ(fp16.bound, Bound::tensor);
  EXPECT_DOUBLE_EQ(fp16.share, 0.9);
  const auto bf16 = roofline({.traffic = {.flops_bf16 = 567000}, .time_s = 1}, h200());
  EXPECT_EQ(bf16.bound, Bound::tensor);
  EXPECT_DOUBLE_EQ(bf16.share, 0.9) << "faster than fp16, and below its own rate";
  auto unmeasured = h200();
  unmeasured.tensor_bf16_flops = 0;
  const auto unknown =
      roofline({.traffic = {.bytes_read = 2000, .flops_bf16 = 567000}, .time_s = 1}, unmeasured);
  EXPECT_EQ(unknown.share, 0) << "neither of memory nor of fp16";
  EXPECT_EQ(unknown.bound, Bound::unknown);
  const auto tf32 = roofline({.traffic = {.flops_tf32 = 270000}, .time_s = 1}, h200());
  EXPECT_EQ(tf32.bound, Bound::tensor);
  EXPECT_DOUBLE_EQ(tf32.share, 0.9);
}

TEST(Roofline, AProductAtTheRateOfFp32IsNotSaidToWait) {
  const double fp32 = h200().fp32_flops;
  const auto converted = roofline({.traffic = {.flops_tensor = 0.67 * fp32}, .time_s = 1}, h200());
  EXPECT_EQ(converted.bound, Bound::unknown) << "it may compute in fp32";
  EXPECT_EQ(converted.share, 0) << "of a ceiling that it may not use";
  for (const double share : {0.3, 3.0}) {
    EXPECT_EQ(roofline({.traffic = {.flops_tensor = share * fp32}, .time_s = 1}, h200()).bound,
              Bound::latency);
  }
  Ceilings memory_only;
  memory_only.copy_bytes_per_s = memory_only.read_bytes_per_s = 1000;
  const auto copy =
      roofline({.traffic = {.bytes_read = 50, .bytes_written = 50}, .time_s = 1}, memory_only);
  EXPECT_EQ(copy.bound, Bound::latency) << "no ceiling of fp32 is needed to say so";
}

TEST(Roofline, AnArithmeticCeilingThatIsExceededBindsNothing) {
  // Tensor cores, a separable filter or a clock of its own: from the rate alone nobody can tell.
  const auto found =
      roofline({.traffic = {.bytes_read = 2000, .flops_fp32 = 1.15 * 60000}, .time_s = 1}, h200());
  EXPECT_EQ(found.exceeded, Bound::fp32);
  EXPECT_DOUBLE_EQ(found.exceeded_share, 1.15);
  EXPECT_EQ(found.nearest, Bound::memory);
  EXPECT_EQ(found.bound, Bound::unknown) << "how busy a unit is, its rate does not tell";
  EXPECT_DOUBLE_EQ(found.share, 0.5);
  const auto alone = roofline({.traffic = {.flops_fp32 = 270000}, .time_s = 1}, h200());
  EXPECT_EQ(alone.bound, Bound::unknown) << "no other ceiling is known";
  EXPECT_EQ(alone.share, 0);
  EXPECT_TRUE(alone.is_known()) << "that it exceeds one is to be said";
  const auto within = roofline({.traffic = {.flops_fp32 = 1.04 * 60000}, .time_s = 1}, h200());
  EXPECT_EQ(within.bound, Bound::fp32) << "ceilings repeat no better";
  EXPECT_DOUBLE_EQ(within.share, 1.04);
  const auto above = roofline({.traffic = {.flops_fp32 = 1.06 * 60000}, .time_s = 1}, h200());
  EXPECT_EQ(above.exceeded, Bound::fp32);
}

TEST(Roofline, ReplacedArithmeticBindsNothing) {
  const auto replaced = [](double bytes, double flops, const Params& params = {}) {
    const Traffic traffic{.bytes_read = bytes, .flops_replaced = flops};
    return roofline(work_of(traffic, 1, false, params, {}), h200());
  };
  const auto near = replaced(3600, 1e9);
  EXPECT_EQ(near.bound, Bound::memory);
  EXPECT_EQ(near.exceeded, Bound::unknown);
  // Above the ridge it is held against the arithmetic that the workload states, which binds not.
  const auto far = replaced(400, 50000);
  EXPECT_EQ(far.nearest, Bound::fp32);
  EXPECT_DOUBLE_EQ(far.share, 50000.0 / 60000);
  EXPECT_EQ(far.bound, Bound::unknown) << "other operations may be done";
  Params tf32;
  tf32.set("type", "tf32");
  EXPECT_EQ(replaced(400, 150000, tf32).nearest, Bound::tensor);
  EXPECT_DOUBLE_EQ(replaced(400, 150000, tf32).share, 0.5);
}

TEST(Roofline, BoundAndShareAreOfOneRoof) {
  Work work{.traffic = {.bytes_read = 400, .flops_fp32 = 1.2 * 60000}, .time_s = 1};
  work.busiest = busiest_unit({{"tensor_active", 0.7}});
  const auto found = roofline(work, h200());
  EXPECT_EQ(found.bound, Bound::tensor);
  EXPECT_EQ(found.nearest, Bound::unknown) << "10 % of memory says nothing of the tensor cores";
  EXPECT_EQ(found.share, 0);
}

TEST(Roofline, FarFromEveryCeilingIsLatency) {
  const auto found = roofline({.traffic = {.bytes_read = 400}, .time_s = 1}, h200());
  EXPECT_EQ(found.bound, Bound::latency);
  EXPECT_EQ(found.nearest, Bound::memory);
  EXPECT_DOUBLE_EQ(found.share, 0.1);
}

TEST(Roofline, WhatWasCountedBindsWhereNoCeilingIsNear) {
  Work work{.traffic = {.bytes_read = 400}, .time_s = 1};
  work.busiest = busiest_unit({{"dram_throughput", 0.1},
                               {"l2_throughput", 0.3},
                               {"l1_throughput", 0.8},
                               {"issue_active", 0.7},
                               {"l2_hit_rate", 0.99}});
  const auto found = roofline(work, h200());
  EXPECT_EQ(found.bound, Bound::cache);
  EXPECT_EQ(found.nearest, Bound::memory);
  EXPECT_EQ(found.busiest.name, "L1 and shared memory");
  EXPECT_DOUBLE_EQ(found.busiest.share, 0.8);
  work.busiest.share = 0.5;
  EXPECT_EQ(roofline(work, h200()).bound, Bound::latency) << "far from its peak too";
  work.busiest.share = 0.8;
  work.traffic.bytes_read = 3600;
  EXPECT_EQ(roofline(work, h200()).bound, Bound::memory) << "a ceiling is near";
  work.traffic.bytes_read = 400;
  work.end_to_end = true;
  EXPECT_EQ(roofline(work, h200()).bound, Bound::none) << "kernels are a part of the time";
  EXPECT_EQ(busiest_unit({}).bound, Bound::unknown);
  EXPECT_EQ(busiest_unit({{"issue_active", 0.7}}).bound, Bound::issue);
}

TEST(Roofline, AboveTheMemorysCeilingACacheAnswered) {
  const auto found = roofline({.traffic = {.bytes_read = 5000}, .time_s = 1}, h200());
  EXPECT_TRUE(found.cache_resident);
  EXPECT_EQ(found.bound, Bound::cache) << "memory does not bind it";
  EXPECT_EQ(found.nearest, Bound::unknown);
  EXPECT_DOUBLE_EQ(found.memory_bytes_per_s, 5000);
  EXPECT_FALSE(roofline({.traffic = {.bytes_read = 4040}, .time_s = 1}, h200()).cache_resident);
}

TEST(Roofline, TheLinkWorksInBothDirectionsAtOnce) {
  const auto found =
      roofline({.time_s = 1, .end_to_end = true, .upload_bytes = 30, .download_bytes = 36}, h200());
  EXPECT_EQ(found.bound, Bound::transfer);
  EXPECT_DOUBLE_EQ(found.share, 0.9);
  // Together the directions are slower than each is alone.
  auto measured = h200();
  measured.both_ways_bytes_per_s = 60;
  const auto both = roofline(
      {.time_s = 1, .end_to_end = true, .upload_bytes = 27, .download_bytes = 27}, measured);
  EXPECT_DOUBLE_EQ(both.share, 0.9);
  EXPECT_DOUBLE_EQ(both.ceiling, 60);
  const auto mostly_up = roofline(
      {.time_s = 1, .end_to_end = true, .upload_bytes = 45, .download_bytes = 9}, measured);
  EXPECT_DOUBLE_EQ(mostly_up.share, 0.9);
  EXPECT_DOUBLE_EQ(mostly_up.ceiling, 50);
}

TEST(Roofline, TransfersInTurnAddUp) {
  Work work{.time_s = 1, .end_to_end = true, .upload_bytes = 25, .download_bytes = 16};
  EXPECT_EQ(roofline(work, h200()).bound, Bound::none);
  work.transfers_in_turn = true;
  const auto found = roofline(work, h200());
  EXPECT_EQ(found.bound, Bound::transfer);
  EXPECT_DOUBLE_EQ(found.share, 0.9) << "half a second up, 0.4 s down";
  EXPECT_DOUBLE_EQ(found.ceiling, 41 / 0.9);
  work.upload_bytes = work.download_bytes = 0;
  EXPECT_EQ(roofline(work, h200()).bound, Bound::unknown) << "nothing is copied";
}

TEST(Roofline, LaunchesMayBeTheNearest) {
  const auto found = roofline(
      {.traffic = {.bytes_read = 40}, .time_s = 1, .end_to_end = true, .launches = 80}, h200());
  EXPECT_EQ(found.bound, Bound::launch);
  EXPECT_DOUBLE_EQ(found.share, 0.8);
}

TEST(Roofline, IsUnknownWithoutCeilingsWorkOrTime) {
  const Work work{.traffic = {.bytes_read = 1, .flops_fp32 = 1}, .time_s = 1};
  EXPECT_EQ(roofline(work, {}).bound, Bound::unknown);
  EXPECT_EQ(roofline({.time_s = 1}, h200()).bound, Bound::unknown);
  for (const double time : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(roofline({.traffic = {.bytes_read = 1}, .time_s = time}, h200()).bound,
              Bound::unknown);
  }
}

TEST_F(Summaries, HaveTheShareOfTheCeilingOfTheirOwnDevice) {
  add_case();
  measure(0, 0, {1, 1, 1}).traffic.bytes_read = 3600;
  device();
  EXPECT_EQ(summary().facts.count("share_of_ceiling"), 0U) << "no ceilings";
  result_.ceilings = h200();
  EXPECT_DOUBLE_EQ(summary().value("share_of_ceiling"), 0.9);
  EXPECT_EQ(summary().roofline->bound, Bound::memory);
  result_.plan.cases[0].backend = BackendKind::host;
  EXPECT_EQ(summary().facts.count("share_of_ceiling"), 0U) << "of another device";
}

TEST(Roofline, ALinkBetweenGpusIsThatOfTheSlowestPair) {
  auto ceilings = h200();
  const Traffic traffic{.bytes_written = 30, .bytes_linked = 30};
  EXPECT_EQ(roofline({.traffic = traffic, .time_s = 1}, ceilings).nearest, Bound::memory);
  ceilings.links = {{"a", "b", 40, 80}, {"b", "a", 0, 0}, {"a", "c", 50, 60}};
  const auto found = roofline({.traffic = traffic, .time_s = 1}, ceilings);
  EXPECT_EQ(found.bound, Bound::peer);
  EXPECT_DOUBLE_EQ(found.ceiling, 40);
  EXPECT_DOUBLE_EQ(found.share, 0.75);
}

TEST_F(Summaries, HoldTheBusBandwidthOfACommandAgainstTheLink) {
  add_case().backend = BackendKind::host;
  result_.plan.experiments[0].command.emplace();
  measure(0, 0, {2, 2, 2}).facts["bus_bandwidth"] = 32;
  device();
  result_.ceilings = h200();
  EXPECT_EQ(summary().facts.count("share_of_ceiling"), 0U) << "no link was measured";
  result_.ceilings->links = {{"a", "b", 40, 80}};
  EXPECT_DOUBLE_EQ(summary().value("share_of_ceiling"), 0.8);
}

TEST_F(Summaries, ABusBandwidthHasTheIntervalOfItsTime) {
  add_case().backend = BackendKind::host;
  result_.plan.experiments[0].command.emplace();
  for (int process = 0; process < 3; ++process) {
    measure(0, process, {2.0 + 0.1 * process}).facts["bus_bandwidth"] = 32;
  }
  const auto found = summary();
  const auto* rate = found.fact("bus_bandwidth");
  ASSERT_NE(rate, nullptr);
  ASSERT_TRUE(rate->has_interval());
  EXPECT_DOUBLE_EQ(rate->low, rate->value * found.time().value / found.time().high);
}

TEST_F(Summaries, OneKernelHasOneBoundInAllExperiments) {
  result_.plan.experiments.resize(2);
  result_.plan.experiments[1].name = "counted";
  device();
  result_.ceilings = h200();
  for (std::size_t i = 0; i < 4; ++i) {
    add_case().experiment = i == 1 ? 1 : 0;
    measure(i, 0, {1, 1, 1}).traffic.bytes_read = 360;
  }
  for (auto& experiment : result_.plan.experiments) experiment.workload = "gemm";
  result_.measurements[1].facts["l1_throughput"] = 0.7;
  result_.plan.cases[2].variant = "another";
  result_.plan.cases[3].params.set("n", AxisValue{std::int64_t{2}});
  EXPECT_EQ(summary(1).roofline->bound, Bound::cache);
  EXPECT_EQ(summary(1).roofline->busiest.counted_in, "");
  EXPECT_EQ(summary(0).roofline->bound, Bound::cache);
  EXPECT_EQ(summary(0).roofline->busiest.counted_in, "counted");
  EXPECT_EQ(summary(2).roofline->bound, Bound::latency) << "another kernel";
  EXPECT_EQ(summary(3).roofline->bound, Bound::latency) << "other work";
  result_.plan.experiments[0].measure.cache = CacheMode::hot;
  EXPECT_EQ(summary(0).roofline->bound, Bound::latency) << "counted with another cache";
}

TEST_F(Summaries, HaveNoShareWhereACacheAnswered) {
  add_case();
  measure(0, 0, {1, 1, 1}).traffic.bytes_read = 5000;
  device();
  result_.ceilings = h200();
  EXPECT_TRUE(summary().roofline->cache_resident);
  EXPECT_EQ(summary().facts.count("share_of_ceiling"), 0U);
}

}  // namespace
}  // namespace apod
