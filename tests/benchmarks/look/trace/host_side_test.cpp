/// What a timeline says of the host: how long it waited, and how long its calls took to reach the
/// device.

#include <gtest/gtest.h>

#include <limits>

#include "tests/benchmarks/look/trace/activities.hpp"

namespace apod::trace {
namespace {

ApiCall call(std::int64_t start, std::uint32_t correlation) {
  return {"cudaLaunchKernel", false, start, start + 5, 1, correlation};
}

Synchronization wait(Synchronization::Kind kind, std::int64_t start, std::int64_t end) {
  return {kind, start, end, 0};
}

using Wait = Synchronization::Kind;

TEST(HostWait, IsTheTimeCoveredByWaitsWithinTheSpan) {
  Trace trace;
  trace.activities = {kernel(100, 200, 1), kernel(300, 400, 1)};
  trace.synchronizations = {wait(Wait::stream, 150, 250),   // 100
                            wait(Wait::event, 200, 280),    // 30 more
                            wait(Wait::context, 350, 900),  // 50 within the span
                            wait(Wait::event, 0, 90)};      // before it
  EXPECT_NEAR(facts_of(trace, {}).at("host_wait"), 0.6, 1e-12);
  trace.synchronizations = {wait(Wait::stream_wait, 100, 200)};
  EXPECT_EQ(facts_of(trace, {}).at("host_wait"), 0) << "one stream waits for another";
}

TEST(HostWait, ACopyThatTheCallWaitsForIsAWait) {
  Trace trace;
  trace.activities = {kernel(0, 100, 1), kernel(100, 200, 1)};
  trace.activities[1].kind = Activity::Kind::copy;
  trace.activities[1].synchronous = true;
  trace.calls = {call(0, 1)};
  EXPECT_NEAR(facts_of(trace, {}).at("host_wait"), 0.5, 1e-12);
}

TEST(HostWait, IsUnknownWhereTheHostWasNotWatched) {
  Trace trace;
  trace.activities = {kernel(0, 100, 1)};
  EXPECT_EQ(facts_of(trace, {}).count("host_wait"), 0u);
  trace.calls = {call(0, 1)};
  EXPECT_EQ(facts_of(trace, {}).at("host_wait"), 0);
}

TEST(HostWait, BackwardsAndEndlessOnesAreHarmless) {
  Trace trace;
  trace.activities = {kernel(100, 200, 1)};
  trace.synchronizations = {wait(Wait::stream, 180, 120),
                            wait(Wait::stream, std::numeric_limits<std::int64_t>::min(), 110),
                            wait(Wait::stream, 190, std::numeric_limits<std::int64_t>::max())};
  EXPECT_NEAR(facts_of(trace, {}).at("host_wait"), 0.2, 1e-12);
  trace.activities = {kernel(100, 100, 1)};
  EXPECT_EQ(facts_of(trace, {}).at("host_wait"), 0) << "a span of nothing";
}

TEST(LaunchLatency, IsTheMedianFromCallToStart) {
  Trace trace;
  trace.activities = {kernel(110, 120, 1, 1), kernel(230, 240, 1, 2), kernel(320, 340, 2, 3)};
  trace.calls = {call(100, 1), call(200, 2), call(300, 3)};
  EXPECT_NEAR(facts_of(trace, {}).at("launch_latency"), 20 * ns, slack);
}

TEST(LaunchLatency, IsNotTheTimeInAQueue) {
  Trace trace;
  // The second waits for the first in its stream, the third for both in another one.
  trace.activities = {kernel(110, 200, 1, 1), kernel(200, 300, 1, 2), kernel(300, 310, 2, 3)};
  trace.calls = {call(100, 1), call(120, 2), call(130, 3)};
  EXPECT_NEAR(facts_of(trace, {}).at("launch_latency"), 10 * ns, slack);
  // Nor does one count that begins while another runs, whatever that came from.
  trace.activities = {kernel(0, 1000, 9), kernel(110, 200, 1, 1)};
  EXPECT_EQ(facts_of(trace, {}).count("launch_latency"), 0u);
}

TEST(LaunchLatency, CountsOneOperationOfACall) {
  Trace trace;
  trace.activities = {kernel(110, 120, 1, 7), kernel(500, 600, 2, 7), kernel(700, 800, 1, 7)};
  trace.calls = {call(100, 7)};
  EXPECT_NEAR(facts_of(trace, {}).at("launch_latency"), 10 * ns, slack);
}

TEST(LaunchLatency, LeavesOutMemsetsAndClocksThatDisagree) {
  Trace trace;
  trace.activities = {kernel(110, 120, 1, 1), kernel(190, 195, 1, 2), kernel(330, 340, 1, 3)};
  trace.activities[0].kind = Activity::Kind::memset;
  trace.calls = {call(100, 1), call(200, 2), call(300, 3)};
  EXPECT_NEAR(facts_of(trace, {}).at("launch_latency"), 30 * ns, slack);
}

TEST(LaunchLatency, IsUnknownWithoutTheCalls) {
  Trace trace;
  trace.activities = {kernel(110, 120, 1, 1), kernel(300, 400, 1, 0)};
  EXPECT_EQ(facts_of(trace, {}).count("launch_latency"), 0u);
  trace.calls = {call(100, 2), call(250, 0)};
  EXPECT_EQ(facts_of(trace, {}).count("launch_latency"), 0u);
}

TEST(Timeline, OfAHundredThousandLaunchesWithTheirCalls) {
  // Not by the clock, which a busy machine stretches: a quadratic search would not end in time.
  Trace trace;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    trace.activities.push_back(
        kernel(20 * i + 6, 20 * i + 10, 1, static_cast<std::uint32_t>(i + 1)));
    trace.calls.push_back(call(20 * i, static_cast<std::uint32_t>(i + 1)));
  }
  EXPECT_NEAR(facts_of(trace, {}).at("launch_latency"), 6 * ns, slack);
}

}  // namespace
}  // namespace apod::trace
