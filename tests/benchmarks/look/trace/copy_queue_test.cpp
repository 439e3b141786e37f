// Small copies that wait for the copy engine.

#include "benchmarks/look/trace/copy_queue.hpp"

#include <gtest/gtest.h>

#include "benchmarks/look/trace/profile_of.hpp"
#include "tests/benchmarks/look/trace/activities.hpp"

namespace apod::trace {
namespace {

constexpr auto from_host = MemoryKind::pinned;
constexpr auto to_gpu = MemoryKind::device;

/// 200 MB in stream 1, and behind it a small upload in stream 2, which a kernel needs.
class CopyQueue : public testing::Test {
 protected:
  CopyQueue() {
    add(copy(100, 4100, 1, from_host, to_gpu, 200'000'000), 10);
    add(copy(4100, 4110, 2, from_host, to_gpu, 4'000), 20);
    add(kernel(4110, 5110, 2), 30);
  }
  void add(Activity activity, std::int64_t called) {
    activity.correlation = static_cast<std::uint32_t>(trace.activities.size() + 1);
    activity.name = activity.kind == Activity::Kind::copy ? "HtoD" : "kernel";
    ApiCall call;
    call.start_ns = called;
    call.correlation = activity.correlation;
    trace.activities.push_back(activity);
    trace.calls.push_back(call);
  }
  Trace trace;
};

TEST_F(CopyQueue, ASmallUploadWaitsForALargeOne) {
  const auto queued = queued_copies(trace);
  ASSERT_EQ(queued.size(), 1u);
  EXPECT_EQ(queued[0].copy, &trace.activities[1]);
  EXPECT_EQ(queued[0].bytes_before, 200'000'000u);
  EXPECT_NEAR(queued[0].waited_s, 4080 * ns, slack) << "since its call";
  EXPECT_NEAR(queued[0].lost_s, 1000 * ns, slack) << "the kernel behind it";
  const auto profile = profile_of(trace);
  ASSERT_EQ(profile.copies.size(), 1u);
  EXPECT_EQ(profile.copies[0].queued, 1u);
  EXPECT_NEAR(profile.copies[0].queued_s, 4080 * ns, slack);
  EXPECT_NEAR(profile.copies[0].queued_lost_s, 1000 * ns, slack);
}

TEST_F(CopyQueue, KernelsThatRanMeanwhileLostNothing) {
  trace.activities.insert(trace.activities.begin() + 1, kernel(200, 3900, 3));
  ASSERT_EQ(queued_copies(trace).size(), 1u);
  EXPECT_NEAR(queued_copies(trace)[0].lost_s, (4080 - 3700) * ns, slack);
}

TEST_F(CopyQueue, WhatIsNoSuchWait) {
  const auto good = trace;
  trace.activities[1].bytes = 100'000'000;
  EXPECT_TRUE(queued_copies(trace).empty()) << "parts of a pipeline";
  trace = good;
  trace.activities[0].source = to_gpu;
  trace.activities[0].target = from_host;
  EXPECT_TRUE(queued_copies(trace).empty()) << "the other direction has its own engine";
  trace = good;
  trace.activities[2].stream = 3;
  EXPECT_TRUE(queued_copies(trace).empty()) << "no kernel waits for it";
  trace = good;
  trace.calls[1].start_ns = 4090;
  EXPECT_NEAR(queued_copies(trace).at(0).waited_s, 10 * ns, slack) << "it was called late";
  trace.activities[0].end_ns = 3000;
  EXPECT_TRUE(queued_copies(trace).empty()) << "it waited for something else";
  trace = good;
  trace.activities[1].correlation = trace.activities[0].correlation;
  EXPECT_TRUE(queued_copies(trace).empty()) << "nodes of a graph depend on each other";
  trace = good;
  trace.synchronizations.push_back({Synchronization::Kind::stream_wait, 15, 16, 2});
  EXPECT_TRUE(queued_copies(trace).empty()) << "it may wait for an event";
}

}  // namespace
}  // namespace apod::trace
