// The part of a trace that belongs to one NVTX range.

#include "benchmarks/look/trace/window.hpp"

#include <gtest/gtest.h>

#include "tests/benchmarks/look/trace/activities.hpp"

namespace apod::trace {
namespace {

Trace trace_with_ranges() {
  Trace trace;
  trace.ranges = {{"", "step", 0, 50, 1},
                  {"", "mark", 60, 60, 1},
                  {"mine", "step", 100, 200, 1},
                  {"", "a/1", 300, 400, 1},
                  {"", "case/size:4@x", 500, 600, 1},
                  {"", "a", 700, 800, 1},
                  {"", "a", 900, 1000, 1}};
  trace.calls = {{"launch", false, 10, 20, 1, 1},
                 {"launch", false, 150, 160, 2, 2},
                 {"launch", false, 199, 210, 1, 3},
                 {"launch", false, 200, 210, 1, 4}};
  trace.activities = {kernel(120, 130, 1, 1), kernel(170, 180, 1, 2), kernel(190, 195),
                      kernel(250, 260, 1, 3), kernel(270, 280, 1, 4), kernel(300, 310)};
  trace.synchronizations = {{Synchronization::Kind::stream, 99, 150, 7},
                            {Synchronization::Kind::stream, 100, 150, 7}};
  trace.overheads = {{"flush", 150, 160}, {"flush", 250, 260}};
  trace.notes = {"a note"};
  return trace;
}

TEST(Window, RangesAreFoundByNameDomainAndIndex) {
  const auto trace = trace_with_ranges();
  EXPECT_EQ(look_up_range(trace, "step").range, &trace.ranges[0]);
  EXPECT_EQ(look_up_range(trace, "step/1").range, &trace.ranges[2]);
  EXPECT_EQ(look_up_range(trace, "step@mine").range, &trace.ranges[2]);
  EXPECT_EQ(look_up_range(trace, "step@mine/0").range, &trace.ranges[2]);
  EXPECT_EQ(look_up_range(trace, "step@mine/1").range, nullptr);
  EXPECT_EQ(look_up_range(trace, "mine:step").range, &trace.ranges[2])
      << "as --table nvtx shows it";
  EXPECT_EQ(look_up_range(trace, "mine:step/0").range, &trace.ranges[2]);
  EXPECT_EQ(look_up_range(trace, "step/0@mine").range, &trace.ranges[2]);
  EXPECT_EQ(look_up_range(trace, "step/1@mine").range, nullptr);
  EXPECT_EQ(look_up_range(trace, "a/1").range, &trace.ranges[3])
      << "a name that looks like an index";
  EXPECT_EQ(look_up_range(trace, "a/0").range, &trace.ranges[5]);
  EXPECT_EQ(look_up_range(trace, "case/size:4@x").range, &trace.ranges[4]);
  for (const char* none : {"", "mark", "steps", "step/2", "step/-1", "step/x", "step/", "/", "@",
                           ":", "other:step", "step:mine", "mine@step"}) {
    EXPECT_EQ(look_up_range(trace, none).range, nullptr) << none;
  }
}

TEST(Window, OfEqualNamesItSaysWhichOneItIs) {
  const auto trace = trace_with_ranges();
  const auto second = look_up_range(trace, "step/1");
  EXPECT_EQ(second.index, 1u);
  EXPECT_EQ(second.count, 2u) << "in all domains, without the mark";
  EXPECT_EQ(look_up_range(trace, "step@mine").count, 1u);
}

TEST(Window, AnOperationBelongsWhereItWasLaunched) {
  const auto all = trace_with_ranges();
  const auto window = window_of(all, all.ranges[2]);
  ASSERT_EQ(window.activities.size(), 3u);
  EXPECT_EQ(window.activities[0].correlation, 2u) << "not the one that ran in it, launched before";
  EXPECT_EQ(window.activities[1].correlation, 0u) << "unknown launch: where it starts";
  EXPECT_EQ(window.activities[2].correlation, 3u) << "launched in it, run after it";
  EXPECT_EQ(window.calls.size(), 2u);
  ASSERT_EQ(window.synchronizations.size(), 1u);
  EXPECT_EQ(window.synchronizations[0].start_ns, 100);
  EXPECT_EQ(window.overheads.size(), 1u);
  ASSERT_EQ(window.ranges.size(), 1u) << "itself";
  EXPECT_EQ(window.notes.size(), 1u);
}

TEST(Window, ARangeIsOfTheDevicesThatItsOwnThreadGivesWorkTo) {
  Trace trace;
  trace.ranges = {{"", "step 1", 0, 100, 1}, {"", "step 1", 5, 110, 2}};
  trace.calls = {{"launch", false, 10, 20, 1, 1},
                 {"launch", false, 15, 25, 2, 2},
                 {"launch", false, 30, 40, 3, 3}};
  trace.activities = {kernel(20, 60, 1, 1), kernel(30, 70, 1, 2), kernel(70, 90, 1, 3)};
  trace.activities[1].device = 1;
  const auto window = window_of(trace, trace.ranges[0]);
  ASSERT_EQ(window.activities.size(), 2u) << "without the other rank, with the other thread";
  EXPECT_EQ(window.activities[1].correlation, 3u);
  auto apart = trace.ranges[0];
  apart.thread = 9;
  EXPECT_EQ(window_of(trace, apart).activities.size(), 3u) << "of a thread that launches nothing";
}

TEST(Window, RangesThatDifferByANumberAreAlike) {
  Trace trace;
  trace.ranges = {{"", "step 1", 0, 9, 1},
                  {"", "step 2", 10, 19, 1},
                  {"", "train", 0, 20, 1},
                  {"mine", "train", 0, 20, 1},
                  {"", "train", 20, 20, 1}};
  EXPECT_TRUE(has_more_like(trace, trace.ranges[0]));
  EXPECT_FALSE(has_more_like(trace, trace.ranges[2])) << "of another domain, and a mark";
}

}  // namespace
}  // namespace apod::trace
