// Copies, streams and gaps: where each rule speaks, and where it must not.

#include "tests/benchmarks/look/evidence.hpp"
#include "tests/support/texts.hpp"

namespace apod::look {
namespace {

TEST_F(FindingsTest, PageableTransferNamesRatesAndGain) {
  facts["span"] = 0.1;
  add_copy(pageable, on_device, 400'000'000, 0.050);
  add_kernel("sum", 0.005);
  const auto found = find("pageable-transfer");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_EQ(found->evidence,
            "400 MB from or to pageable host memory take 50 % of the device's time (HtoD at 8 GB/s "
            "instead "
            "of 55 GB/s with pinned memory)");
  EXPECT_NEAR(found->gain, (0.050 - 0.4 / 55) / 0.1, 1e-9);
}

TEST_F(FindingsTest, PinnedAndSmallPageableCopiesAndThoseOfAHostCaseAreNoFinding) {
  facts["span"] = 0.1;
  add_copy(pinned, on_device, 400'000'000, 0.05);
  add_copy(on_device, pageable, 4, 0.001);  // a result of four bytes
  add_copy(pageable, pageable, 400'000'000, 0.05);
  EXPECT_FALSE(find("pageable-transfer"));
  asked.backend = BackendKind::host;
  add_copy(pageable, on_device, 400'000'000, 0.09);
  EXPECT_FALSE(find("pageable-transfer"));
}

TEST_F(FindingsTest, WithoutCeilingsTheLinksPeakBoundsTheGain) {
  with_ceilings = false;
  facts["span"] = 0.1;
  add_copy(pageable, on_device, 400'000'000, 0.05);
  EXPECT_EQ(find("pageable-transfer")->gain, 0);
  device.peak_transfer_bytes_per_s = 64e9;
  EXPECT_NEAR(find("pageable-transfer")->gain, (0.05 - 0.4 / 64) / 0.1, 1e-9);
}

TEST_F(FindingsTest, SynchronousCopyGainsWhatCouldRunBeside) {
  facts["span"] = 0.1;
  add_copy(pinned, on_device, 400'000'000, 0.06).synchronous = 1;
  add_kernel("sum", 0.03);
  const auto found = find("synchronous-copy");
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->gain, 0.3, 1e-9);
  profile.copies.front().time.count = 2;
  EXPECT_FALSE(find("synchronous-copy")) << "the other one may be the long one";
  profile.copies.front().synchronous = 0;
  EXPECT_FALSE(find("synchronous-copy"));
  add_copy(on_device, on_device, 400'000'000, 0.06).synchronous = 1;
  EXPECT_FALSE(find("synchronous-copy")) << "no host memory takes part";
}

TEST_F(FindingsTest, AQueuedCopyGainsTheKernelsThatCouldHaveRun) {
  facts["span"] = 0.01;
  auto& copy = add_copy(pinned, on_device, 200'004'000, 0.004);
  add_kernel("sum", 0.003);
  EXPECT_FALSE(find("queued-copy"));
  copy.queued = 1;
  copy.queued_s = 0.0037;
  copy.queued_lost_s = 0.003;
  const auto found = find("queued-copy");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_EQ(
      found->evidence,
      "1 small copy waited 3.7 ms for larger copies of other streams, while kernels waited for "
      "the small copy");
  EXPECT_NEAR(found->gain, 0.3, 1e-9);
  facts["span"] = 0.0041;
  EXPECT_EQ(find("queued-copy")->severity, Severity::note) << "the direction was always busy";
  facts["span"] = 0.01;
  profile.copies.front().queued_lost_s = 0;
  EXPECT_EQ(find("queued-copy")->severity, Severity::note) << "kernels ran meanwhile";
  profile.copies.front().queued_s = 0.0004;
  EXPECT_FALSE(find("queued-copy")) << "it waited for a moment";
}

TEST_F(FindingsTest, AliasedStreamsAreFewerThanAsked) {
  params.set("streams", std::int64_t{4});
  facts = {{"distinct_streams", 1}, {"overlap", 0}, {"span", 0.012}};
  add_copy(pinned, on_device, 100, 0.004);
  add_copy(on_device, pinned, 100, 0.004);
  add_kernel("scale", 0.004);
  const auto found = find("aliased-streams");
  ASSERT_TRUE(found);
  EXPECT_TRUE(contains(found->evidence, "the case asks for 4 streams but uses 1"));
  EXPECT_NEAR(found->gain, 2.0 / 3, 1e-9);  // three equal parts, all at once
  profile.kernels.front().time = tally(0.02, 20);
  EXPECT_NEAR(find("aliased-streams")->gain, 8.0 / 28, 1e-9) << "it fills the device";
  profile.kernels.front().grid = {1, 1, 1};
  EXPECT_NEAR(find("aliased-streams")->gain, 23.0 / 28, 1e-9) << "four of them at once";
  EXPECT_FALSE(find("serialized-streams")) << "it follows from the other";
}

TEST_F(FindingsTest, StreamsAsAskedAreNoFinding) {
  params.set("streams", std::int64_t{4});
  facts = {{"distinct_streams", 4}, {"traced_streams", 4}, {"overlap", 0.6}};
  EXPECT_FALSE(find("aliased-streams"));
  params.set("streams", std::int64_t{1});
  facts["distinct_streams"] = 1;
  EXPECT_FALSE(find("aliased-streams"));
  params.set("streams", std::int64_t{8});
  asked.end_to_end = false;  // in kernel scope there is one, whatever the axis says
  EXPECT_FALSE(find("aliased-streams"));
}

TEST_F(FindingsTest, SerializedStreamsDoNotOverlap) {
  params.set("streams", std::int64_t{4});
  facts = {{"distinct_streams", 4}, {"overlap", 0}, {"span", 0.01}};
  add_copy(pageable, on_device, 100, 0.005);
  add_kernel("scale", 0.005);
  const auto found = find("serialized-streams");
  ASSERT_TRUE(found);
  EXPECT_TRUE(contains(found->advice, "pin the host memory"));
  EXPECT_NEAR(found->gain, 0.5, 1e-9);
  facts["overlap"] = 0.4;
  EXPECT_FALSE(find("serialized-streams"));
}

TEST_F(FindingsTest, StreamsOfOurOwnAreThoseAskedFor) {
  params.set("streams", std::int64_t{4});
  facts = {{"distinct_streams", 4}, {"concurrent_streams", 1}, {"overlap", 0}, {"span", 0.01}};
  add_copy(pinned, on_device, 100, 0.005);
  add_kernel("scale", 0.005);
  EXPECT_TRUE(find("serialized-streams")) << "one after the other, each in its stream";
  asked.backend = BackendKind::host;
  EXPECT_FALSE(find("serialized-streams"));
}

TEST_F(FindingsTest, ShortOperationsCannotOverlap) {
  params.set("streams", std::int64_t{2});
  facts = {{"distinct_streams", 2}, {"overlap", 0}, {"span", 0.01}};
  add_copy(pinned, on_device, 100, 0.005);
  add_kernel("scale", 0.005);
  EXPECT_TRUE(find("serialized-streams"));
  profile.kernels.front().time = tally(0.005, 5000);
  EXPECT_FALSE(find("serialized-streams")) << "1 us each";
}

TEST_F(FindingsTest, StreamsWithOneKindOfWorkHaveNothingToOverlap) {
  params.set("streams", std::int64_t{4});
  facts = {{"distinct_streams", 4}, {"overlap", 0}, {"span", 0.01}};
  add_kernel("fills the device", 0.01, 4);
  EXPECT_FALSE(find("serialized-streams"));
}

TEST_F(FindingsTest, IdleGapsAreHeldAgainstTheUntracedTime) {
  asked.time_s = 1e-3;
  facts = {{"span", 1.2e-3}, {"idle", 0.5}, {"busy", 0.5}, {"longest_gap", 2e-4}};
  add_kernel("work", 0.6e-3, 6);
  const auto found = find("idle-gaps");
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->gain, 0.4, 1e-9);
  EXPECT_TRUE(contains(found->evidence, "the longest gap is 200 us"));
  asked.time_s = 0.62e-3;  // what the traced pass was idle for, tracing made
  EXPECT_FALSE(find("idle-gaps"));
}

TEST_F(FindingsTest, ASlowerExecutionIsNoGap) {
  asked.time_s = 98e-3;  // the mean of the timed ones
  facts = {{"span", 80e-3}, {"idle", 0.003}, {"busy", 0.997}, {"longest_gap", 64e-6}};
  add_kernel("work", 79e-3);
  EXPECT_FALSE(find("idle-gaps")) << "the traced one was busy all the time";
  facts["idle"] = 0.2;
  facts["busy"] = 0.8;
  const auto found = find("idle-gaps");
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->gain, 16.2 / 98, 1e-3) << "16 ms of the span, and a call around it";
}

TEST_F(FindingsTest, GapsOfAShortCaseOrOfKernelScopeAreNone) {
  facts = {{"span", 30e-6}, {"idle", 0.6}, {"busy", 0.4}};
  add_kernel("work", 12e-6);
  asked.time_s = 30e-6;  // 18 us: one launch and one wait
  EXPECT_FALSE(find("idle-gaps"));
  facts["span"] = asked.time_s = 1;
  EXPECT_TRUE(find("idle-gaps"));
  asked.end_to_end = false;
  EXPECT_FALSE(find("idle-gaps"));
}

TEST_F(FindingsTest, LaunchBoundTakesThePlaceOfGaps) {
  asked.time_s = 1e-3;
  facts = {{"span", 1e-3}, {"idle", 0.7}, {"busy", 0.3}};
  add_kernel("tiny", 0.3e-3, 200);  // 1.5 us each, a launch takes 2 us
  const auto found = find("launch-bound");
  ASSERT_TRUE(found);
  EXPECT_TRUE(contains(found->evidence, "200 kernels of 1.5 us on average; a launch takes 2 us"));
  EXPECT_FALSE(find("idle-gaps"));
  profile.kernels.front().time = tally(0.3e-3, 30);  // 10 us each
  EXPECT_FALSE(find("launch-bound"));
  EXPECT_TRUE(find("idle-gaps"));
  foreign = true;
  EXPECT_FALSE(find("idle-gaps")) << "of another program its steps tell more";
}

TEST_F(FindingsTest, NothingIsSaidOfNothing) {
  EXPECT_TRUE(all().empty());
  foreign = true;
  EXPECT_TRUE(all().empty());
  device = {};
  facts = {{"span", 0}, {"idle", 0}, {"overlap", 0}, {"traced_streams", 0}, {"throttled", 0}};
  add_kernel("", 0, 0);
  add_copy(pageable, on_device, 0, 0);
  add_call("", 0, 0);
  EXPECT_TRUE(all().empty());
}

TEST_F(FindingsTest, WhatIsNoNumberIsNoEvidence) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* name : {"span", "idle", "busy", "overlap", "distinct_streams", "throttled",
                           "samples", "kernels", "upload_bytes"}) {
    facts[name] = nan;
  }
  params.set("streams", std::int64_t{4});
  asked.time_s = nan;
  asked.traffic.bytes_read = nan;
  add_kernel("k", nan).counters = {{"dadd", nan},
                                   {"dmul", nan},
                                   {"dfma", nan},
                                   {"global_load_bytes", nan},
                                   {"global_load_sectors", 0}};
  add_copy(pageable, on_device, 100, nan);
  EXPECT_TRUE(all().empty());
}

TEST_F(FindingsTest, WhatCostsNextToNothingIsANoteUnlessNobodyAskedForIt) {
  foreign = true;
  facts["span"] = 0.1;
  add_kernel("sum", 0.0995);
  add_copy(pinned, on_device, 400'000'000, 0.1).synchronous = 1;
  profile.kernels.front().time = tally(0.0005, 1);
  EXPECT_EQ(find("synchronous-copy")->severity, Severity::note) << "0.5 %";
  profile.kernels.front().time = tally(0.005, 1);
  EXPECT_EQ(find("synchronous-copy")->severity, Severity::warning);
}

TEST_F(FindingsTest, WarningsComeFirstAndTheLargestGainBeforeOthers) {
  facts = {{"span", 0.1}, {"throttled", 50}, {"samples", 50}};
  asked.end_to_end = false;
  asked.time_s = 0.1;
  asked.traffic.bytes_read = 0.9 * 0.1 * ceilings.read_bytes_per_s;
  add_copy(pageable, on_device, 400'000'000, 0.05);
  const auto found = all();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].id, "pageable-transfer");
  EXPECT_EQ(found[1].id, "throttled");
  EXPECT_EQ(found[2].id, "memory-bound");
  EXPECT_LE(found[0].gain, 0.1 + 1e-9) << "no more than the ceiling leaves";
}

}  // namespace
}  // namespace apod::look
