#include "benchmarks/look/trace/lanes.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "tests/benchmarks/look/trace/activities.hpp"

namespace apod::trace {
namespace {

Activity upload_by_name(std::int64_t start, std::int64_t end, std::uint32_t stream) {
  Activity activity = copy(start, end, stream, MemoryKind::pinned, MemoryKind::device);
  activity.name = "HtoD";
  return activity;
}

std::uint64_t events_of(const Lane& lane) {
  return std::accumulate(lane.count.begin(), lane.count.end(), std::uint64_t{0});
}

TEST(Lanes, NothingRanNothingIsDrawn) {
  EXPECT_TRUE(lanes_of(Trace{}).empty());
  Trace at_once;
  at_once.activities = {kernel(5, 5)};
  EXPECT_TRUE(lanes_of(at_once).empty());
}

TEST(Lanes, RangesThreadsCopiesAndStreamsInThisOrder) {
  Trace trace;
  trace.activities = {upload_by_name(1000, 2000, 7), kernel(2000, 3000, 7), kernel(1500, 2500, 9)};
  trace.calls = {{"cudaMemcpyAsync", false, 900, 1000, 3, 0}};
  trace.ranges = {{"", "chunk", 950, 2950, 3}, {"", "mark", 1000, 1000, 3}};
  const auto lanes = lanes_of(trace);
  std::vector<std::string> names;
  for (const auto& lane : lanes) names.push_back(lane.name + ": " + lane.what);
  EXPECT_EQ(names, (std::vector<std::string>{"NVTX chunk: ranges", "main thread: calls",
                                             "HtoD: copies", "stream 7: copies",
                                             "stream 7: kernels", "stream 9: kernels"}));
  // A twentieth of the 2000 ns lies before the first operation.
  EXPECT_EQ(lanes[2].start_ns, (std::vector<std::int64_t>{100}));
  EXPECT_EQ(lanes[2].length_ns, (std::vector<std::int64_t>{1000}));
  EXPECT_EQ(lanes[1].start_ns, (std::vector<std::int64_t>{0})) << "cut at the begin";
  EXPECT_EQ(lanes[5].start_ns, (std::vector<std::int64_t>{600}));
}

TEST(Lanes, ThreadsStandInTheOrderOfTheirFirstCallAndHaveNames) {
  Trace trace;
  trace.calls = {{"a", false, 500, 600, 9, 0},
                 {"b", false, 100, 200, 2983112704, 0},
                 {"c", false, 300, 400, 7, 0},
                 {"d", false, 700, 800, 11, 0}};
  const auto names_of = [](const std::vector<Lane>& lanes) {
    std::vector<std::string> names;
    for (const auto& lane : lanes) names.push_back(lane.name);
    return names;
  };
  EXPECT_EQ(names_of(lanes_of(trace)),
            (std::vector<std::string>{"main thread", "thread 2", "thread 3", "thread 4"}));
  EXPECT_EQ(names_of(lanes_of(trace, {{2983112704, "python3"}, {7, "python3"}, {11, "autograd"}})),
            (std::vector<std::string>{"python3", "python3 (thread 2)", "thread 3", "autograd"}));
}

TEST(Lanes, RangesStandInTheOrderInWhichTheyBegin) {
  Trace trace;
  trace.ranges = {{"", "update", 300, 400, 1},
                  {"", "forward", -50, 100, 1},
                  {"", "backward", 100, 300, 1},
                  {"", "forward", 500, 600, 1}};
  std::vector<std::string> names;
  for (const auto& lane : lanes_of(trace)) names.push_back(lane.name);
  EXPECT_EQ(names, (std::vector<std::string>{"NVTX forward", "NVTX backward", "NVTX update"}));
}

TEST(Lanes, RangesWhoseNamesDifferByANumberShareARowUnlessTheyAreNested) {
  const auto names_of = [](const Trace& trace) {
    std::vector<std::string> names;
    for (const auto& lane : lanes_of(trace)) names.push_back(lane.name);
    return names;
  };
  Trace trace;
  trace.ranges = {{"", "step 0", 0, 100, 1}, {"", "step 1", 100, 200, 1}, {"", "once 2", 0, 50, 1}};
  EXPECT_EQ(names_of(trace), (std::vector<std::string>{"NVTX once 2", "NVTX step N"}));
  trace.ranges[1].start_ns = 50;
  EXPECT_EQ(names_of(trace),
            (std::vector<std::string>{"NVTX once 2", "NVTX step 0", "NVTX step 1"}));
  trace.ranges[1].thread = 2;
  EXPECT_EQ(names_of(trace), (std::vector<std::string>{"NVTX once 2", "NVTX step N"}));
}

TEST(Lanes, BeyondTheFirstRowsOfAKindTheOthersShareOne) {
  Trace trace;
  for (char c = 'a'; c < 'a' + 12; ++c) {
    const auto at = std::int64_t{100} * (c - 'a');
    trace.ranges.push_back({"", std::string(1, c), at, at + 50, 1});
  }
  const auto lanes = lanes_of(trace);
  ASSERT_EQ(lanes.size(), 8u);
  EXPECT_EQ(lanes[6].name, "NVTX g");
  EXPECT_EQ(lanes[7].name, "5 other NVTX names");
  EXPECT_EQ(events_of(lanes[7]), 5u);
}

TEST(Lanes, TheRecordersOwnWorkHasARow) {
  Trace trace;
  trace.activities = {kernel(0, 1000)};
  trace.overheads = {{"instrumentation", 100, 200}, {"module loading", 300, 400}};
  const auto lanes = lanes_of(trace);
  ASSERT_EQ(lanes.size(), 2u);
  EXPECT_EQ(lanes[0].name + ": " + lanes[0].what, "recorder: recorder");
  EXPECT_EQ(lanes[0].size(), 1u) << "the driver loads modules, not the recorder";
}

TEST(Lanes, WhatIsCutSaysHowLongItIs) {
  Trace trace;
  trace.activities = {kernel(1000, 2000)};
  trace.ranges = {{"", "inside", 1000, 1500, 1}, {"", "long", 0, 4000, 1}};
  const auto lanes = lanes_of(trace);
  ASSERT_EQ(lanes.size(), 3u);
  EXPECT_EQ(lanes[0].names, (std::vector<std::string>{"long"}));
  ASSERT_EQ(lanes[0].before_ns.size(), 1u);
  EXPECT_EQ(lanes[0].before_ns[0] + lanes[0].length_ns[0] + lanes[0].after_ns.at(0), 4000);
  EXPECT_TRUE(lanes[1].before_ns.empty() && lanes[1].after_ns.empty());
  Lane cut{"row", "ranges", {"a", "b"}, {0, 1}, {0, 10}, {10, 10}, {1, 1}};
  EXPECT_EQ(cut.joined(100).size(), 1u);
  cut.before_ns = {500, 0};
  EXPECT_EQ(cut.joined(100).before_ns, cut.before_ns) << "what is cut stays a bar of its own";
  EXPECT_EQ(lanes[1].names, (std::vector<std::string>{"inside"}));
}

TEST(Lanes, WhatReachesIntoAWindowIsDrawnWhereverItBegan) {
  Trace trace;
  trace.activities = {kernel(0, 1000, 1), kernel(500, 1500, 2), kernel(1200, 1300, 3),
                      kernel(1900, 2500, 4), kernel(2100, 2200, 5)};
  trace.calls = {{"cudaMemcpy", false, 0, 3000, 1, 0}};
  trace.ranges = {{"", "step", 700, 1800, 1}, {"", "before", 0, 900, 1}};
  std::vector<std::string> drawn;
  for (const auto& lane : lanes_between(trace, {}, 1000, 2000)) {
    ASSERT_EQ(lane.size(), 1u) << lane.name;
    drawn.push_back(lane.name + " " + std::to_string(lane.start_ns[0]) + " " +
                    std::to_string(lane.length_ns[0]));
  }
  EXPECT_EQ(drawn,
            (std::vector<std::string>{"NVTX step 0 800", "main thread 0 1000", "stream 2 0 500",
                                      "stream 3 200 100", "stream 4 900 100"}));
}

TEST(Lanes, RowsOfOtherTimesTakeNoRoomInAWindow) {
  Trace trace;
  for (char c = 'a'; c < 'a' + 12; ++c) {
    const auto at = std::int64_t{100} * (c - 'a');
    trace.ranges.push_back({"", std::string(1, c), at, at + 50, 1});
  }
  const auto lanes = lanes_between(trace, {}, 1000, 1150);
  ASSERT_EQ(lanes.size(), 2u);
  EXPECT_EQ(lanes[0].name, "NVTX k");
  EXPECT_EQ(lanes[1].name, "NVTX l");
}

TEST(Lanes, StreamsOfSeveralDevicesSayWhose) {
  Trace trace;
  trace.activities = {kernel(0, 10, 7), kernel(0, 10, 7)};
  trace.activities[1].device = 1;
  const auto lanes = lanes_of(trace);
  ASSERT_EQ(lanes.size(), 2u);
  EXPECT_EQ(lanes[0].name, "device 0, stream 7");
  EXPECT_EQ(lanes[1].name, "device 1, stream 7");
}

TEST(Lanes, WithoutADeviceTheHostIsDrawn) {
  Trace trace;
  trace.calls = {{"cudaMalloc", false, 100, 200, 1, 0}};
  const auto lanes = lanes_of(trace);
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_EQ(lanes[0].names, (std::vector<std::string>{"cudaMalloc"}));
}

TEST(Lanes, ManyEventsBecomeFewSpansAndNoneIsLost) {
  Trace trace;
  for (std::int64_t i = 0; i < 60'000; ++i) {
    trace.activities.push_back(
        kernel(i * 1000, i * 1000 + 600, static_cast<std::uint32_t>(1 + i % 30)));
  }
  const auto lanes = lanes_of(trace);
  EXPECT_EQ(lanes.size(), 30u);
  std::size_t spans = 0;
  std::uint64_t events = 0;
  for (const auto& lane : lanes) {
    spans += lane.size();
    events += events_of(lane);
  }
  EXPECT_LE(spans, most_spans);
  EXPECT_GT(spans, most_spans / 8) << "and not fewer than there is room for";
  EXPECT_EQ(events, 60'000u);
}

TEST(Lanes, MoreStreamsThanSpansKeepTheFirst) {
  Trace trace;
  for (std::uint32_t i = 0; i < 2000; ++i) trace.activities.push_back(kernel(i, i + 1, i));
  std::size_t spans = 0;
  const auto lanes = lanes_of(trace);
  for (const auto& lane : lanes) spans += lane.size();
  EXPECT_LE(spans, most_spans);
  EXPECT_EQ(lanes.front().name, "stream 0");
}

TEST(Lanes, TimesOfStrangersFitTheirType) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  Trace trace;
  trace.activities = {kernel(least, most, 1), kernel(most, least, 2), kernel(0, 10, 3)};
  for (const auto& lane : lanes_of(trace)) {
    for (std::size_t i = 0; i < lane.size(); ++i) {
      EXPECT_GE(lane.start_ns[i], 0);
      EXPECT_GE(lane.length_ns[i], 0);
    }
  }
}

TEST(Lanes, SpansThatNobodyCouldTellApartAreJoined) {
  const Lane lane{"stream 1",        "kernels",        {"a", "b"},  {0, 1, 0, 1},
                  {0, 12, 24, 1000}, {10, 10, 10, 10}, {1, 1, 2, 1}};
  const Lane near = lane.joined(20);
  EXPECT_EQ(near.start_ns, (std::vector<std::int64_t>{0, 1000}));
  EXPECT_EQ(near.length_ns, (std::vector<std::int64_t>{34, 10}));
  EXPECT_EQ(near.count, (std::vector<std::uint64_t>{4, 1}));
  EXPECT_EQ(near.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(near.busy_ns, (std::vector<std::int64_t>{30, 10})) << "without the pauses";
  EXPECT_EQ(near.joined(2000).busy_ns, (std::vector<std::int64_t>{40})) << "joined once more";
  const Lane same = lane.joined(1);
  EXPECT_TRUE(same.busy_ns.empty());
  EXPECT_EQ(same.start_ns, lane.start_ns);
  EXPECT_EQ(same.of, lane.of);
}

}  // namespace
}  // namespace apod::trace
