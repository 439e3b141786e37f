// Where the time of each step goes.

#include "benchmarks/look/trace/step_parts.hpp"

#include <gtest/gtest.h>

#include "benchmarks/look/trace/host_time.hpp"
#include "benchmarks/look/trace/window.hpp"
#include "tests/benchmarks/look/trace/training.hpp"

namespace apod::trace {
namespace {

TEST(Steps, NumberedRangesAreStepsAndTheirPartsAddUp) {
  Training program;
  program.step(0, 500 * ms);
  for (int i = 1; i < 6; ++i) program.step(i);
  const auto steps = program.steps();
  EXPECT_EQ(steps.by, StepsBy::ranges);
  EXPECT_EQ(steps.name, "step N");
  EXPECT_EQ(steps.found, 6u);
  ASSERT_EQ(steps.steady.size(), 5u);
  EXPECT_EQ(steps.steady.front().name, "step 1");
  EXPECT_EQ(steps.start_names, std::vector<std::string>{"step 0"});
  expect_whole(steps);
  const auto mean = steps.mean();
  EXPECT_NEAR(mean[StepPart::kernels], 10.04 * milli, near);
  EXPECT_NEAR(mean[StepPart::copies], 3 * milli, near);
  EXPECT_NEAR(mean[StepPart::no_call], 4 * milli, near) << "before the range";
  EXPECT_NEAR(mean[StepPart::launching], 20 * 0.0185 * milli, near);
  EXPECT_NEAR(steps.steady.front().outside_s, 4 * milli, near);
  EXPECT_NEAR(steps.median_s(), steps.mean_s(), near);
}

TEST(Steps, TheLongestWaitsForTheHostHaveAPlace) {
  Training program;
  for (int i = 0; i < 6; ++i) program.step(i);
  const auto wait = program.steps().wait;
  EXPECT_EQ(wait.after, "small");
  EXPECT_EQ(wait.before, "HtoD");
  EXPECT_EQ(wait.where, "between steps");
  EXPECT_EQ(wait.time.count, 5U);
  EXPECT_NEAR(wait.time.mean_s(), 4 * milli, near);
  EXPECT_NEAR(wait.all_s, 5 * 4.37 * milli, 5 * near);
}

TEST(Steps, AWaitIsInTheRangeInWhichTheHostThenWas) {
  Program program;
  for (int i = 0; i < 6; ++i) {
    program.range("step", [&] {
      program.range("load", [&] { program.think(3 * ms); });
      program.range("model", [&] { program.launch("first", 1 * ms); });
      program.wait();
      for (int k = 0; k < 3; ++k) {
        program.launch("big " + std::to_string(k), 1 * ms);
        program.think(1200 * us);
      }
    });
  }
  const auto wait = steps_of(program.done(), 0, {}).wait;
  EXPECT_EQ(wait.where, "in 'load'");
  EXPECT_EQ(wait.before, "first");
}

TEST(Steps, WhatBeginsLongAfterItsLaunchDidNotWaitForIt) {
  Program program;
  for (int i = 0; i < 6; ++i) {
    program.range("step", [&] {
      program.launch("first", 1 * ms);
      program.wait();
      program.launch("second", 1 * ms);
      auto& second = program.trace.activities.back();
      second.start_ns += 10 * ms;  // it waits for an event
      second.end_ns += 10 * ms;
      program.think(12 * ms);
    });
  }
  const auto mean = steps_of(program.done(), 0, {}).mean();
  EXPECT_NEAR(mean[StepPart::between], 10 * milli, near);
  EXPECT_LT(mean[StepPart::launching], 0.1 * milli);
}

TEST(Steps, EqualWaitsEverywhereHaveNoPlace) {
  Program program;
  for (int i = 0; i < 6; ++i) {
    program.range("step", [&] {
      for (int k = 0; k < 9; ++k) {
        program.launch(k % 3 != 0 ? "often" : "kernel " + std::to_string(k), 2 * us);
        program.think(90 * us);
      }
    });
  }
  EXPECT_TRUE(steps_of(program.done(), 0, {}).wait.empty());
}

TEST(Steps, KernelsWhoseLaunchIsNotKnownAreLaunchesToo) {
  Program program;
  for (int i = 0; i < 8; ++i) {
    program.think(2 * ms);
    for (int k = 0; k < 4; ++k) program.launch("kernel " + std::to_string(k), 1 * ms);
  }
  auto trace = program.done();
  trace.calls.clear();
  for (auto& activity : trace.activities) activity.correlation = 0;
  const auto steps = steps_of(trace, 0, {});
  EXPECT_EQ(steps.by, StepsBy::launches);
  EXPECT_DOUBLE_EQ(steps.launches_a_step, 4);
  EXPECT_FALSE(steps.launches_known);
}

TEST(Steps, TheStartHasCausesOfItsOwn) {
  Training program;
  program.call("cuInit", 100 * ms);
  program.step(0, 500 * ms);
  for (int i = 1; i < 4; ++i) program.step(i);
  const auto steps = program.steps();
  ASSERT_FALSE(steps.start.empty());
  EXPECT_EQ(steps.start.front().name, "loading code");
  EXPECT_NEAR(steps.start.front().time.total_s, 500 * milli, near);
  EXPECT_EQ(steps.start[1].name, "other calls");
  EXPECT_NEAR(steps.start_s, 100 * milli + 500 * milli + 14.4 * milli, 1 * milli);
  EXPECT_LT(steps.mean()[StepPart::loading], near) << "none of it is in a steady step";
}

TEST(Steps, TheHostMayRunAhead) {
  Program program;
  for (int i = 0; i < 6; ++i) {
    program.range("step " + std::to_string(i), [&] {
      for (int j = 0; j < 10; ++j) program.launch("big", 1 * ms);
    });
  }
  const auto steps = steps_of(program.done(), 0, {});
  ASSERT_EQ(steps.steady.size(), 5u);
  EXPECT_NEAR(steps.median_s(), 10.01 * milli, near) << "as the device sees it, not the host";
  EXPECT_GT(steps.mean()[StepPart::kernels], 0.99 * steps.mean_s());
  EXPECT_LT(steps.mean()[StepPart::launching], near) << "they were queued";
}

TEST(Steps, TimeOfTheRecorderAndOfCallsIsNamed) {
  Training program;
  for (int i = 0; i < 4; ++i) {
    program.step(i);
    const auto now = program.now;
    program.trace.overheads.push_back({"activity buffer request", now + 1 * ms, now + 2 * ms});
    program.trace.overheads.push_back({"buffer flush", now + 2 * ms, now + 3 * ms});
    program.think(3 * ms);
    program.call("cudaMalloc", 1 * ms);
  }
  const auto mean = program.steps().mean();
  EXPECT_NEAR(mean[StepPart::recorder], 1 * milli, near) << "it flushes beside the program";
  EXPECT_NEAR(mean[StepPart::allocating], 1 * milli, near);
  EXPECT_NEAR(mean[StepPart::no_call], 6 * milli, 2 * near);
}

TEST(Steps, WaitsBehindAReadOfAFewValuesAreKnown) {
  const auto steps_with = [](std::uint64_t bytes, bool waits) {
    Program program;
    for (int i = 0; i < 5; ++i) {
      program.range("step " + std::to_string(i), [&] {
        for (int k = 0; k < 3; ++k) {
          program.launch("norm", 40 * us);
          auto& read = program.copy(2 * us, bytes);
          read.source = MemoryKind::device;
          read.target = MemoryKind::pageable;
          if (waits) program.wait();
          program.think(20 * us);
        }
        program.launch("update", 40 * us);
      });
    }
    return steps_of(program.done(), 0, {});
  };
  const auto steps = steps_with(4, true);
  EXPECT_TRUE(steps.late.empty()) << "the kernels behind a read have this cause";
  EXPECT_EQ(steps.steady.size(), 4U);
  EXPECT_EQ(steps.reads.count, 4U * 3) << "each kernel behind a read waits";
  EXPECT_GT(steps.reads.parts[StepPart::copies], 0) << "the reads themselves";
  EXPECT_GT(steps.reads.parts[StepPart::launching], 4 * 3 * 20e-6);
  EXPECT_LE(steps.reads.parts[StepPart::launching], 4 * steps.mean()[StepPart::launching] + 1e-9);
  EXPECT_EQ(steps_with(1 << 20, true).reads.count, 0U) << "an array";
  EXPECT_EQ(steps_with(4, false).reads.count, 0U) << "the host goes on";
}

TEST(Steps, OnlyKernelsShorterThanTheirLaunchAreLate) {
  const auto steps_with = [](const std::string& name, std::int64_t length, bool waits = true) {
    Program program;
    for (int i = 0; i < 5; ++i) {
      program.range("step " + std::to_string(i), [&] {
        for (int k = 0; k < 4; ++k) {
          program.launch(name, length);
          if (waits) program.wait();
          program.think(30 * us);
        }
      });
    }
    return steps_of(program.done(), 0, {});
  };
  const auto small = steps_with("small", 4 * us);
  EXPECT_FALSE(small.late.empty());
  EXPECT_EQ(small.long_late_s, 0);
  for (const auto& others :
       {steps_with("large", 300 * us), steps_with("ncclDevKernel_X", 4 * us)}) {
    EXPECT_TRUE(others.late.empty());
    EXPECT_GT(others.long_late_s, 4 * 4 * 9e-6);
    EXPECT_LE(others.long_late_s, 4 * others.mean()[StepPart::launching] + 1e-9);
    EXPECT_DOUBLE_EQ(others.behind_waits_s, others.long_late_s);
  }
  const auto free = steps_with("ncclDevKernel_X", 4 * us, false);
  EXPECT_GT(free.long_late_s, 0);
  EXPECT_EQ(free.behind_waits_s, 0) << "the host is slow, but waits for nothing";
}

TEST(Steps, LateKernelsAreToldByPlace) {
  Training program;
  for (int i = 0; i < 4; ++i) program.step(i);
  const auto steps = program.steps();
  ASSERT_FALSE(steps.late.empty());
  std::uint64_t count = 0;
  for (const auto& late : steps.late) count += late.time.count;
  EXPECT_NEAR(static_cast<double>(count), 3 * 20, 6);
  EXPECT_NEAR(steps.late.front().interval.mean_s(), 20e-6, 1e-6);
}

TEST(Steps, KernelsAreKnownByTheRangeThatLaunchedThem) {
  Program program;
  for (int i = 0; i < 5; ++i) {
    program.range("step " + std::to_string(i), [&] {
      for (int layer = 0; layer < 2; ++layer) {
        program.range("layer " + std::to_string(layer), [&] { program.launch("big", 2 * ms); });
      }
      program.launch("loss", 1 * ms);
      program.wait();
    });
  }
  const auto launched = steps_of(program.done(), 0, {}).launched;
  ASSERT_EQ(launched.size(), 2u);
  ASSERT_TRUE(launched.at("big").contains("in 'layer N'")) << launched.at("big").begin()->first;
  EXPECT_NEAR(launched.at("big").at("in 'layer N'"), 4 * 4 * milli, near);
  EXPECT_TRUE(launched.at("loss").contains("")) << "the step itself is no place in it";
}

TEST(Steps, TheSteadyPartOfATraceIsThatOfItsSteps) {
  Training program;
  for (int i = 0; i < 4; ++i) program.step(i);
  const auto steps = program.steps();
  const auto part = steady_part(program.done(), steps);
  EXPECT_EQ(part.activities.size(), 3u * 26);
  EXPECT_GE(part.activities.front().start_ns, steps.steady.front().start_ns);
}

TEST(Steps, WithoutCorrelationsNoLaunchIsAFirstOne) {
  Training program;
  for (int i = 0; i < 6; ++i) program.step(i);
  for (auto& call : program.trace.calls) {
    call.correlation = 0;
    if (call.name == "cudaLaunchKernel") call.end_ns += 120 * us;
  }
  for (auto& activity : program.trace.activities) activity.correlation = 0;
  EXPECT_EQ(program.steps().mean()[StepPart::loading], 0);
}

TEST(Steps, CallsCountByWhatTheyDo) {
  const auto part = [](const char* name) { return part_of(ApiCall{name, false, 0, 1, 1, 0}); };
  EXPECT_EQ(part("cudaLaunchKernelExC"), StepPart::launching);
  EXPECT_EQ(part("cuGraphLaunch"), StepPart::launching);
  EXPECT_EQ(part("cudaStreamSynchronize"), StepPart::waiting);
  EXPECT_EQ(part("cuMemcpyHtoDAsync"), StepPart::copy_calls);
  EXPECT_EQ(part("cuMemHostAlloc"), StepPart::allocating);
  EXPECT_EQ(part("cudaFree"), StepPart::allocating);
  EXPECT_EQ(part("cuModuleLoadData"), StepPart::loading);
  EXPECT_EQ(part("cudaFuncGetAttributes"), StepPart::loading);
  EXPECT_EQ(part("cudaEventRecord"), StepPart::other_calls);
  EXPECT_EQ(part("hipExtModuleLaunchKernel"), StepPart::launching);
  EXPECT_EQ(part("hipMemcpyWithStream"), StepPart::copy_calls);
  EXPECT_EQ(part("hipFree"), StepPart::allocating);
}

}  // namespace
}  // namespace apod::trace
