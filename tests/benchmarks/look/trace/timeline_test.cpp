#include "benchmarks/look/trace/timeline.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "benchmarks/base/summary.hpp"
#include "tests/benchmarks/look/trace/activities.hpp"

namespace apod::trace {
namespace {

DeviceFacts device() {
  DeviceFacts facts;
  facts.multiprocessors = 10;
  facts.max_threads_per_multiprocessor = 1000;
  return facts;
}

Activity sized_kernel(Activity activity, std::uint32_t grid, std::uint32_t block,
                      std::uint32_t resident_blocks) {
  activity.grid = {grid, 1, 1};
  activity.block = {block, 1, 1};
  activity.resident_blocks = resident_blocks;
  return activity;
}

Activity upload(std::int64_t start, std::int64_t end, std::uint32_t stream) {
  return copy(start, end, stream, MemoryKind::pinned, MemoryKind::device);
}

Activity download(std::int64_t start, std::int64_t end, std::uint32_t stream) {
  return copy(start, end, stream, MemoryKind::device, MemoryKind::pinned);
}

Activity memset(std::int64_t start, std::int64_t end, std::uint32_t stream) {
  Activity activity = kernel(start, end, stream);
  activity.kind = Activity::Kind::memset;
  return activity;
}

/// The facts with shares as times.
struct Timeline {
  double span_s, busy_s, idle_s, kernel_s, copy_s, overlap_s, copy_kernel_overlap_s,
      kernel_kernel_overlap_s, concurrent_busy_s, kernels, copies, streams, concurrent_streams,
      pageable_bytes, pinned_bytes, occupancy;
};

Timeline analyze(std::vector<Activity> activities) {
  auto facts = facts_of({std::move(activities), {}}, device());
  const double span = facts["span"];
  return {span,
          facts["busy"] * span,
          facts["idle"] * span,
          facts["kernel_time"],
          facts["copy_time"],
          facts["overlap"] * span,
          facts["copy_kernel_overlap"] * span,
          facts["kernel_overlap"] * span,
          facts["concurrent_busy"] * span,
          facts["kernels"],
          facts["copies"],
          facts["traced_streams"],
          facts["concurrent_streams"],
          facts["pageable_bytes"],
          facts["pinned_bytes"],
          facts["occupancy"]};
}

TEST(Timeline, EmptyTraceSaysNothing) {
  const Timeline timeline = analyze({});
  EXPECT_EQ(timeline.span_s, 0);
  EXPECT_EQ(timeline.kernels, 0);
  EXPECT_TRUE(facts_of({}, device()).empty());
}

TEST(Timeline, OneAfterTheOtherWithAGap) {
  const Timeline t = analyze({upload(100, 200, 1), kernel(200, 260, 1), download(300, 400, 1)});
  EXPECT_NEAR(t.span_s, 300 * ns, slack);
  EXPECT_NEAR(t.busy_s, 260 * ns, slack);
  EXPECT_NEAR(t.idle_s, 40 * ns, slack);
  EXPECT_NEAR(t.kernel_s, 60 * ns, slack);
  EXPECT_NEAR(t.copy_s, 200 * ns, slack);
  EXPECT_EQ(t.overlap_s, 0);
  EXPECT_EQ(t.copy_kernel_overlap_s, 0);
  EXPECT_EQ(t.kernels, 1);
  EXPECT_EQ(t.copies, 2);
  EXPECT_EQ(t.streams, 1);
}

TEST(Timeline, OverlapByKind) {
  // stream 1: H2D 0-100, kernel 100-200, D2H 200-300; stream 2 the same, 50 later.
  const Timeline t = analyze({upload(0, 100, 1), kernel(100, 200, 1), download(200, 300, 1),
                              upload(50, 150, 2), kernel(150, 250, 2), download(250, 350, 2)});
  EXPECT_NEAR(t.span_s, 350 * ns, slack);
  EXPECT_NEAR(t.overlap_s, 250 * ns, slack);
  EXPECT_NEAR(t.copy_kernel_overlap_s, 100 * ns, slack);   // 100-150, 200-250
  EXPECT_NEAR(t.kernel_kernel_overlap_s, 50 * ns, slack);  // 150-200
  EXPECT_EQ(t.streams, 2);
}

TEST(Timeline, NestedIdenticalAndTouchingOperations) {
  const Timeline touching = analyze({kernel(0, 100, 1), kernel(100, 200, 2)});
  EXPECT_EQ(touching.overlap_s, 0);
  EXPECT_EQ(touching.idle_s, 0);
  const Timeline nested = analyze({kernel(0, 100, 1), kernel(20, 50, 2)});
  EXPECT_NEAR(nested.kernel_kernel_overlap_s, 30 * ns, slack);
  EXPECT_NEAR(nested.kernel_s, 100 * ns, slack);
  const Timeline identical = analyze({kernel(0, 100, 1), kernel(0, 100, 2), kernel(0, 100, 3)});
  EXPECT_NEAR(identical.overlap_s, 100 * ns, slack);
  EXPECT_NEAR(identical.busy_s, 100 * ns, slack);
}

TEST(Timeline, OperationsOfNoLengthCountButTakeNoTime) {
  const Timeline t = analyze({kernel(50, 50, 1), kernel(0, 100, 2), kernel(120, 120, 1)});
  EXPECT_EQ(t.kernels, 3);
  EXPECT_EQ(t.overlap_s, 0);
  EXPECT_NEAR(t.span_s, 120 * ns, slack);
  EXPECT_NEAR(t.busy_s, 100 * ns, slack);
  const auto facts = facts_of({{kernel(7, 7, 1)}, {}}, device());
  EXPECT_EQ(facts.at("span"), 0);
  EXPECT_EQ(facts.at("busy"), 0);
  EXPECT_EQ(facts.at("kernels"), 1);
  const Timeline backwards = analyze({kernel(100, 40, 1), kernel(0, 10, 2)});
  EXPECT_NEAR(backwards.span_s, 100 * ns, slack);
  EXPECT_NEAR(backwards.busy_s, 10 * ns, slack);
  EXPECT_NEAR(backwards.idle_s, 90 * ns, slack);
}

TEST(Timeline, OneStreamNeverOverlapsItself) {
  // Aliased streams: one queue. A tracer's rounding makes neighbours touch each other.
  const Timeline t = analyze({upload(0, 100, 7), kernel(98, 200, 7), download(199, 300, 7)});
  EXPECT_EQ(t.overlap_s, 0);
  EXPECT_EQ(t.copy_kernel_overlap_s, 0);
  EXPECT_EQ(t.streams, 1);
  EXPECT_NEAR(t.busy_s, 300 * ns, slack);
  EXPECT_EQ(facts_of({{kernel(0, 9, 1), kernel(0, 9, 1)}, {}}, device()).at("overlap"), 0);
}

TEST(Timeline, OrderOfRecordsDoesNotMatter) {
  const Timeline t = analyze({kernel(150, 250, 2), upload(0, 100, 1), kernel(100, 200, 1)});
  EXPECT_NEAR(t.kernel_kernel_overlap_s, 50 * ns, slack);
  EXPECT_NEAR(t.span_s, 250 * ns, slack);
}

TEST(Timeline, ClocksAtTheEndsOfTheirRange) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const Timeline t = analyze({kernel(least, least + 1, 1), kernel(most - 1, most, 2)});
  EXPECT_NEAR(t.span_s, 18446744073.7, 0.1);
}

TEST(Timeline, MemsetsAreBusyButNeitherKernelsNorCopies) {
  const Timeline t = analyze({memset(0, 100, 9), kernel(50, 150, 1)});
  EXPECT_EQ(t.kernels, 1);
  EXPECT_EQ(t.copies, 0);
  EXPECT_EQ(t.streams, 1);
  EXPECT_NEAR(t.overlap_s, 50 * ns, slack);
  EXPECT_EQ(t.copy_kernel_overlap_s, 0);
}

TEST(Timeline, BytesByKindOfHostMemory) {
  const auto pageable = MemoryKind::pageable;
  const auto pinned = MemoryKind::pinned;
  const auto on_device = MemoryKind::device;
  const Timeline t =
      analyze({copy(0, 1, 1, pageable, on_device, 10), copy(1, 2, 1, on_device, pageable, 20),
               copy(2, 3, 1, pinned, on_device, 300), copy(3, 4, 1, on_device, on_device, 4000)});
  EXPECT_EQ(t.pageable_bytes, 30u);
  EXPECT_EQ(t.pinned_bytes, 300u);
}

TEST(Occupancy, IsTheMeanOverTheSpan) {
  // 4 blocks of 500 threads on a device for 10,000: 20 % for half of the span.
  const auto half = analyze({sized_kernel(kernel(0, 100, 1), 4, 500, 2), upload(100, 200, 1)});
  EXPECT_NEAR(half.occupancy, 0.1, 1e-12);
  // One block of 250 threads a multiprocessor (registers, say): 2,500 of 10,000 threads.
  const auto few_fit = analyze({sized_kernel(kernel(0, 100, 1), 1'000'000, 250, 1)});
  EXPECT_NEAR(few_fit.occupancy, 0.25, 1e-12);
}

TEST(Occupancy, OfConcurrentKernelsAddsUpToTheDevice) {
  const auto big = sized_kernel(kernel(0, 100, 1), 1000, 500, 2);
  auto other = big;
  other.stream = 2;
  EXPECT_NEAR(analyze({big, other}).occupancy, 1, 1e-12);
  const auto small = sized_kernel(kernel(0, 100, 1), 2, 500, 2);
  auto twin = small;
  twin.stream = 2;
  EXPECT_NEAR(analyze({small, twin}).occupancy, 0.2, 1e-12);
}

TEST(Occupancy, OfUnknownResidencyIsBoundedByTheDevice) {
  EXPECT_NEAR(analyze({sized_kernel(kernel(0, 9, 1), 1'000'000, 256, 0)}).occupancy, 1, 1e-12);
  EXPECT_NEAR(analyze({sized_kernel(kernel(0, 9, 1), 2, 500, 0)}).occupancy, 0.1, 1e-12);
  auto largest = kernel(0, 9, 1);
  largest.grid = largest.block = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF};
  largest.resident_blocks = 0xFFFFFFFF;
  EXPECT_NEAR(analyze({largest}).occupancy, 1, 1e-12);
}

TEST(Occupancy, OfAnUnknownDeviceIsNotAFact) {
  const Trace traced{{sized_kernel(kernel(0, 9, 1), 2, 500, 2)}, {}};
  EXPECT_EQ(facts_of(traced, DeviceFacts{}).count("occupancy"), 0u);
  EXPECT_EQ(facts_of(traced, device()).count("occupancy"), 1u);
}

TEST(Facts, AreSharesOfTheSpanAndTimesInSeconds) {
  const Trace trace{{upload(0, 100, 1), kernel(50, 150, 2), kernel(100, 200, 3)}, {}};
  const auto facts = facts_of(trace, device());
  EXPECT_NEAR(facts.at("overlap"), 0.5, 1e-12);
  EXPECT_NEAR(facts.at("copy_kernel_overlap"), 0.25, 1e-12);
  EXPECT_NEAR(facts.at("kernel_overlap"), 0.25, 1e-12);
  EXPECT_NEAR(facts.at("busy"), 1, 1e-12);
  EXPECT_NEAR(facts.at("idle"), 0, 1e-12);
  EXPECT_NEAR(facts.at("span"), 200 * ns, slack);
  EXPECT_EQ(facts.at("traced_streams"), 3);
  EXPECT_EQ(facts.at("kernels"), 2);
  EXPECT_EQ(facts.at("copies"), 1);
  EXPECT_EQ(facts.at("pinned_bytes"), 100);
  EXPECT_EQ(facts.at("pageable_bytes"), 0);
  const auto gaps =
      facts_of({{upload(0, 100, 1), kernel(50, 150, 2), kernel(400, 410, 3)}, {}}, device());
  EXPECT_NEAR(gaps.at("kernel_time"), 110 * ns, slack);
  EXPECT_NEAR(gaps.at("copy_time"), 100 * ns, slack);
  EXPECT_NEAR(gaps.at("longest_gap"), 250 * ns, slack);
}

TEST(Facts, AreExactlyTheKnownOnesThatNeedATrace) {
  std::set<std::string> made;
  auto launched = sized_kernel(kernel(0, 9, 1), 2, 500, 0);
  launched.registers_per_thread = 24;
  EXPECT_EQ(facts_of({{launched}, {}}, device()).at("registers"), 24);
  launched.correlation = 1;
  const Trace watched{{launched}, {}, {{"cudaLaunchKernel", false, 0, 1, 1, 1}}};
  for (const auto& fact : facts_of(watched, device())) made.insert(fact.first);
  std::set<std::string> known;
  for (const auto& fact : known_facts()) {
    if (fact.needs == FactNeeds::trace) known.emplace(fact.name);
  }
  EXPECT_EQ(made, known);
  // A host task has no grid: nothing is occupied that could be counted.
  EXPECT_EQ(facts_of({{kernel(0, 9, 1)}, {}}, device()).count("occupancy"), 0u);
}

TEST(Timeline, StreamsAreInUseFromTheirFirstOperationToTheirLast) {
  // 1 and 2 take turns, 3 comes when both are done with.
  const Timeline turns = analyze({kernel(0, 10, 1), kernel(10, 20, 2), kernel(30, 40, 1),
                                  kernel(40, 50, 2), kernel(60, 70, 3)});
  EXPECT_EQ(turns.concurrent_streams, 2);
  EXPECT_NEAR(turns.concurrent_busy_s, 20 * ns, slack);  // 10 to 40, less the gap of 10
  EXPECT_EQ(turns.overlap_s, 0);
  const Timeline prepared = analyze({memset(0, 10, 2), kernel(10, 90, 1), memset(90, 100, 2)});
  EXPECT_EQ(prepared.concurrent_streams, 1) << "a memset uses no stream";
  const Timeline one_by_one = analyze({kernel(0, 10, 1), kernel(10, 20, 2), kernel(20, 30, 3)});
  EXPECT_EQ(one_by_one.streams, 3);
  EXPECT_EQ(one_by_one.concurrent_streams, 1);
  EXPECT_EQ(one_by_one.concurrent_busy_s, 0);
  const auto facts = facts_of({{kernel(0, 30, 1), kernel(10, 40, 2)}, {}}, device());
  EXPECT_EQ(facts.at("concurrent_streams"), 2);
  EXPECT_NEAR(facts.at("concurrent_busy"), 0.5, 1e-9);
}

TEST(Timeline, OfAMillionOperations) {
  std::vector<Activity> activities;
  for (int i = 0; i < 1'000'000; ++i) {
    activities.push_back(kernel(10 * i, 10 * i + 15, static_cast<std::uint32_t>(i % 8)));
  }
  // Not by the clock, which a busy machine stretches: a quadratic search would not end in time.
  const Timeline t = analyze(std::move(activities));
  EXPECT_NEAR(t.kernel_kernel_overlap_s / t.span_s, 0.5, 0.001);
}

}  // namespace
}  // namespace apod::trace
