#include <gtest/gtest.h>

#include <limits>

#include "benchmarks/look/trace/profile_of.hpp"
#include "tests/benchmarks/look/trace/activities.hpp"

namespace apod::trace {
namespace {

Activity named_kernel(const std::string& name, std::int64_t start, std::int64_t end) {
  Activity activity = kernel(start, end);
  activity.name = name;
  activity.grid = {8, 1, 1};
  activity.block = {128, 1, 1};
  activity.registers_per_thread = 24;
  activity.resident_blocks = 12;
  activity.limiter = OccupancyLimiter::registers;
  return activity;
}

Activity named_copy(const std::string& name, MemoryKind source, MemoryKind target,
                    std::int64_t duration, std::uint64_t bytes) {
  Activity activity = copy(0, duration, 1, source, target, bytes);
  activity.name = name;
  return activity;
}

Profile merged(std::vector<Activity> activities) {
  Trace trace;
  trace.activities = std::move(activities);
  return profile_of(trace);
}

TEST(Profile, EqualLaunchesAreOneEntry) {
  const auto profile =
      merged({named_kernel("a", 0, 100), named_kernel("a", 200, 250), named_kernel("a", 300, 400)});
  ASSERT_EQ(profile.kernels.size(), 1u);
  const auto& a = profile.kernels[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.time.count, 3u);
  EXPECT_NEAR(a.time.total_s, 250 * ns, slack);
  EXPECT_NEAR(a.time.min_s, 50 * ns, slack);
  EXPECT_NEAR(a.time.max_s, 100 * ns, slack);
  EXPECT_EQ(a.grid[0], 8u);
  EXPECT_EQ(a.block[0], 128u);
  EXPECT_EQ(a.registers_per_thread, 24u);
  EXPECT_EQ(a.resident_blocks, 12u);
  EXPECT_EQ(a.limiter, OccupancyLimiter::registers);
  EXPECT_FALSE(a.instructions);
  EXPECT_TRUE(a.counters.empty());
}

TEST(Profile, LaunchesThatDifferInAnyWayAreEntriesOfTheirOwn) {
  std::vector<Activity> all(8, named_kernel("a", 0, 10));
  all[1].name = "b";
  all[2].grid[2] = 2;
  all[3].block[1] = 2;
  all[4].static_shared_bytes = 16;
  all[5].dynamic_shared_bytes = 16;
  all[6].registers_per_thread = 25;
  all[7].local_bytes = 8;
  EXPECT_EQ(merged(all).kernels.size(), all.size());
  all[1].kind = Activity::Kind::copy;
  EXPECT_EQ(merged(all).kernels.size(), all.size() - 1);
}

TEST(Profile, CopiesAreToldApartByNameAndMemory) {
  const auto pageable = MemoryKind::pageable;
  const auto pinned = MemoryKind::pinned;
  const auto device = MemoryKind::device;
  auto waited = named_copy("HtoD", pageable, device, 50, 1000);
  waited.synchronous = true;
  const auto profile = merged({named_copy("HtoD", pinned, device, 10, 100), waited, waited,
                               named_copy("HtoD", pageable, device, 40, 10),
                               named_copy("DtoH", device, pinned, 5, 1)});
  ASSERT_EQ(profile.copies.size(), 3u);
  EXPECT_TRUE(profile.kernels.empty());
  const auto& first = profile.copies[0];
  EXPECT_EQ(first.name, "HtoD");
  EXPECT_EQ(first.source, pageable);
  EXPECT_EQ(first.target, device);
  EXPECT_EQ(first.bytes, 2010u);
  EXPECT_EQ(first.synchronous, 2u);
  EXPECT_EQ(first.time.count, 3u);
  EXPECT_NEAR(first.time.total_s, 140 * ns, slack);
  EXPECT_EQ(profile.copies[1].source, pinned);
  EXPECT_EQ(profile.copies[2].name, "DtoH");
}

TEST(Profile, IsOrderedByTotalTimeThenByName) {
  const auto profile =
      merged({named_kernel("c", 0, 10), named_kernel("b", 0, 10), named_kernel("long", 0, 15),
              named_kernel("b", 20, 30), named_kernel("a", 0, 10)});
  std::string order;
  for (const auto& entry : profile.kernels) order += entry.name + " ";
  EXPECT_EQ(order, "b long a c ");
}

TEST(Profile, CallsByNameAndWhoMadeThem) {
  Trace trace;
  trace.calls = {{"cudaMalloc", false, 0, 7, 1, 1},
                 {"cuMemAlloc", true, 0, 5, 1, 2},
                 {"cudaMalloc", false, 10, 12, 2, 3},
                 {"cuMemAlloc", false, 0, 1, 1, 4}};
  const auto profile = profile_of(trace);
  ASSERT_EQ(profile.calls.size(), 3u);
  EXPECT_EQ(profile.calls[0].name, "cudaMalloc");
  EXPECT_EQ(profile.calls[0].time.count, 2u);
  EXPECT_NEAR(profile.calls[0].time.total_s, 9 * ns, slack);
  EXPECT_TRUE(profile.calls[1].driver);
  EXPECT_FALSE(profile.empty());
  EXPECT_TRUE(profile_of(Trace{}).empty());
}

TEST(Profile, CallsAmongTheKernelsAreToldApart) {
  Trace trace;
  trace.activities = {named_kernel("first", 10, 20), named_kernel("last", 50, 60)};
  trace.calls = {{"cudaMalloc", false, 0, 5, 1, 0},
                 {"cudaMalloc", false, 30, 37, 1, 0},
                 {"cudaMalloc", false, 55, 58, 1, 0}};
  const auto profile = profile_of(trace);
  ASSERT_EQ(profile.calls.size(), 1u);
  EXPECT_EQ(profile.calls[0].time.count, 3u);
  EXPECT_EQ(profile.calls[0].among_kernels.count, 1u);
  EXPECT_NEAR(profile.calls[0].among_kernels.total_s, 7 * ns, slack);
  trace.activities.clear();
  EXPECT_TRUE(profile_of(trace).calls[0].among_kernels.empty());
}

TEST(Profile, RangesByDomainAndNameAndOverheadsByKind) {
  Trace trace;
  trace.ranges = {{"", "step", 0, 10, 1}, {"apod", "step", 0, 30, 1}, {"apod", "step", 40, 50, 2}};
  trace.overheads = {{"buffer flush", 0, 10}, {"compiler", 5, 8}, {"buffer flush", 20, 21}};
  const auto profile = profile_of(trace);
  ASSERT_EQ(profile.ranges.size(), 2u);
  EXPECT_EQ(profile.ranges[0].domain, "apod");
  EXPECT_NEAR(profile.ranges[0].time.total_s, 40 * ns, slack);
  EXPECT_EQ(profile.ranges[1].time.count, 1u);
  ASSERT_EQ(profile.overheads.size(), 2u);
  EXPECT_EQ(profile.overheads.at("buffer flush").count, 2u);
  EXPECT_NEAR(profile.overheads.at("buffer flush").total_s, 11 * ns, slack);
}

TEST(Profile, WhatEndsBeforeItStartsTookNoTime) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const auto profile = merged({named_kernel("back", 10, 5), named_kernel("far", least, most)});
  ASSERT_EQ(profile.kernels.size(), 2u);
  EXPECT_NEAR(profile.kernels[0].time.total_s, 18446744073.7, 0.1);
  EXPECT_EQ(profile.kernels[1].time.total_s, 0);
  EXPECT_EQ(profile.kernels[1].time.count, 1u);
}

}  // namespace
}  // namespace apod::trace
