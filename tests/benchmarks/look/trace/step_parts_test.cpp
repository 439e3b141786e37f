// What a program repeats, and where the time of each step goes.

#include "benchmarks/look/trace/step_parts.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "benchmarks/look/trace/host_time.hpp"
#include "benchmarks/look/trace/window.hpp"
#include "tests/benchmarks/look/trace/program.hpp"

namespace apod::trace {
namespace {

/// A training: a pause without a call, a copy, kernels, and a wait for them.
struct Training : Program {
  std::int64_t pause = 4 * ms;
  bool named = true;

  void step(int number, std::int64_t first_use = 0) {
    think(pause);
    const auto body = [&] {
      copy(3 * ms, 20'000'000, MemoryKind::pageable);
      if (first_use > 0) call("cuLibraryLoadData", first_use);
      for (int i = 0; i < 5; ++i) launch("big", 2 * ms);
      wait();
      for (int i = 0; i < 20; ++i) {
        think(15 * us);
        launch("small", 2 * us);
      }
      wait();
    };
    named ? range("step " + std::to_string(number), body) : body();
  }
  Steps steps(const std::string& wanted = "") const {
    return steps_of(done(), 0, {{1, "python3"}}, wanted);
  }
};

void expect_whole(const Steps& steps) {
  for (const auto& step : steps.steady) {
    EXPECT_NEAR(step.parts.total_s(), static_cast<double>(step.end_ns - step.start_ns) * 1e-9, 1e-9)
        << step.name;
  }
}

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

TEST(Steps, RepetitionsWithinOneRangeNameIt) {
  Program program;
  program.range("ProfilerStep#6", [&] {
    for (int i = 0; i < 12; ++i) {
      for (int k = 0; k < 4; ++k) program.launch("kernel " + std::to_string(k), 1 * ms);
    }
  });
  const auto steps = steps_of(program.done(), 0, {});
  EXPECT_EQ(steps.by, StepsBy::launches);
  EXPECT_EQ(steps.within, "ProfilerStep#6");
}

TEST(Steps, AreFoundBehindAStartOfManyMoreLaunches) {
  Training program;
  program.range("set up", [&] {
    for (int i = 0; i < 800; ++i) program.launch("trial " + std::to_string(i % 97), 10 * us);
  });
  for (int i = 0; i < 6; ++i) program.step(i);
  const auto steps = program.steps();
  EXPECT_EQ(steps.by, StepsBy::ranges);
  EXPECT_EQ(steps.name, "step N");
}

TEST(Steps, OfAnEarlySmallPartAreNone) {
  Training program;
  program.named = false;
  for (int i = 0; i < 3; ++i) {
    program.range("warm-up " + std::to_string(i), [&] { program.launch("big", 2 * ms); });
  }
  for (int i = 0; i < 8; ++i) program.step(i);
  EXPECT_EQ(program.steps().by, StepsBy::launches);
}

TEST(Steps, BeginWithAPhaseIfNoKernelRunsOnceInEach) {
  Program program;
  for (int i = 0; i < 8; ++i) {
    for (const char* phase : {"forward", "backward", "update"}) {
      program.range(phase, [&] {
        for (int k = 0; k < 6; ++k) program.launch(std::string(phase) + "_kernel", 30 * us);
        program.wait();
      });
    }
  }
  const auto steps = steps_of(program.done(), 0, {});
  EXPECT_EQ(steps.by, StepsBy::launches);
  EXPECT_EQ(steps.name, "forward_kernel");
  EXPECT_EQ(steps.found, 8U);
  EXPECT_DOUBLE_EQ(steps.launches_a_step, 18);
}

TEST(Steps, OfOneNameEachIsCalledWhatFindsItsRange) {
  Program program;
  for (int i = 0; i < 5; ++i) {
    program.range("step", [&] {
      program.launch("big", 10 * ms);
      program.wait();
    });
  }
  const auto trace = program.done();
  const auto steps = steps_of(trace, 0, {});
  EXPECT_EQ(steps.name, "step");
  ASSERT_EQ(steps.steady.size(), 4u);
  for (std::size_t i = 0; i < steps.steady.size(); ++i) {
    EXPECT_EQ(steps.steady[i].name, "step/" + std::to_string(i + 1));
    EXPECT_EQ(look_up_range(trace, steps.steady[i].name).range, &trace.ranges[i + 1]);
  }
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

TEST(Steps, StepsThatStillSettleBelongToTheStart) {
  Training program;
  for (int i = 0; i < 10; ++i) program.step(i, i < 3 ? 50 * ms : 0);
  EXPECT_EQ(program.steps().start_names.size(), 3u);
  Training late;
  for (int i = 0; i < 10; ++i) late.step(i, i == 6 ? 50 * ms : 0);
  const auto steps = late.steps();
  EXPECT_EQ(steps.start_names.size(), 1u) << "a slow step later on is none of the start";
  EXPECT_EQ(steps.slowest()->name, "step 6");
  EXPECT_EQ(reason_of(steps).part, StepPart::loading);
}

TEST(Steps, WithoutRangesTheLaunchesThatRecurAreSteps) {
  Training program;
  program.named = false;
  for (int i = 0; i < 30; ++i) program.launch("setup " + std::to_string(i), 10 * us);
  for (int i = 0; i < 6; ++i) program.step(i);
  const auto steps = program.steps();
  EXPECT_EQ(steps.by, StepsBy::launches);
  EXPECT_EQ(steps.name, "HtoD") << "behind the longest pause";
  EXPECT_EQ(steps.found, 6u);
  EXPECT_EQ(steps.steady.size(), 5u);
  EXPECT_NEAR(steps.launches_a_step, 26, 0.01);
  expect_whole(steps);
  EXPECT_NEAR(steps.mean()[StepPart::kernels], 10.04 * milli, near);
}

/// A network that answers: `layers` of four kernels each, whose shapes a library chooses by the
/// length of the text, then two kernels of its own and a wait.
struct Answering : Program {
  void token(int number, int layers = 8) {
    think(2 * ms);
    launch("embed", 5 * us);
    for (int i = 0; i < layers; ++i) {
      for (const auto* kernel : {"norm", "project", "attend", "feed"}) launch(kernel, 20 * us);
      // From a length on, the sum of a layer takes two kernels.
      if (number % 7 == 3 && i == 0) launch("sum", 5 * us);
    }
    launch("choose", 5 * us);
    wait();
  }
};

TEST(Steps, OfANetworkAreItsTokensAndNotItsLayersThoughSomeLaunchMore) {
  Answering program;
  program.think(1 * ms);
  for (int i = 0; i < 40; ++i) program.token(i);
  const auto steps = steps_of(program.done(), 0, {});
  EXPECT_EQ(steps.by, StepsBy::launches);
  EXPECT_EQ(steps.name, "embed") << "behind the pause";
  EXPECT_NEAR(steps.launches_a_step, 34, 0.2);
  EXPECT_GE(steps.found, 39u);
  EXPECT_NEAR(steps.median_s(), 2.8 * milli, 0.5 * milli);
}

TEST(Steps, OfAShortLoopTheLastCountsThoughThreadsLaunchInAnotherOrder) {
  Program program;
  for (int i = 0; i < 16; ++i) program.launch("initialize", 5 * us);
  for (int i = 0; i < 4; ++i) {
    for (const auto* kernel : {"project", "attend", "feed", "loss"})
      program.launch(kernel, 30 * us);
    for (int k = 0; k < 8; ++k) {
      program.thread = 2;
      program.launch("backward " + std::to_string((k * 3 + i * 5) % 8), 40 * us);
      if (i > 0) program.launch("accumulate", 3 * us);
    }
    program.thread = 1;
  }
  program.wait();
  const auto steps = steps_of(program.done(), 0, {});
  EXPECT_EQ(steps.by, StepsBy::launches);
  EXPECT_EQ(steps.found, 3U) << "the first makes the gradients";
  EXPECT_NEAR(steps.launches_a_step, 20, 0.01);
}

TEST(Steps, OfLoopsThatFollowEachOtherTheLargerCounts) {
  const auto first_of = [](int made, int worked) {
    Program program;
    for (int i = 0; i < made; ++i) {
      program.launch("random", 20 * us);
      program.launch("scale", 7 * us);
    }
    for (int i = 0; i < worked; ++i) {
      for (const auto* kernel : {"difference", "difference again", "square"})
        program.launch(kernel, 9 * us);
    }
    program.wait();
    return steps_of(program.done(), 0, {}).name;
  };
  EXPECT_EQ(first_of(100, 99), "difference");
  EXPECT_EQ(first_of(90, 60), "difference") << "inputs are made first";
  EXPECT_EQ(first_of(100, 50), "random");
}

TEST(Steps, RangesThatTakeNoneOfTheTimeAreNone) {
  Program program;
  for (int i = 0; i < 40; ++i) {
    for (const auto* kernel : {"project", "attend", "feed"}) program.launch(kernel, 1 * ms);
  }
  for (const auto* item : {"item, op_id = 3", "item, op_id = 9"}) {
    program.range(item, [&] {
      program.copy(1 * us, 4);
      program.think(1 * us);
    });
  }
  program.launch("last", 1 * ms);
  const auto steps = steps_of(program.done(), 0, {});
  EXPECT_EQ(steps.by, StepsBy::launches);
  EXPECT_EQ(steps.name, "project");
  EXPECT_EQ(steps_of(program.done(), 0, {}, "item*").by, StepsBy::ranges) << "the user knows";
}

TEST(Steps, LieBetweenOthersThatAreSetApart) {
  Training program;
  program.named = false;
  // A library tries kernels first, and every fourth step is followed by a validation.
  for (int i = 0; i < 150; ++i) program.launch("trial " + std::to_string(i % 50), 10 * us);
  for (int i = 0; i < 12; ++i) {
    program.step(i);
    if (i % 4 != 3) continue;
    for (int k = 0; k < 60; ++k) program.launch("validate", 50 * us);
  }
  const auto steps = program.steps();
  EXPECT_EQ(steps.by, StepsBy::launches);
  EXPECT_NEAR(steps.launches_a_step, 26, 0.01);
  EXPECT_GE(steps.found, 9u);
  ASSERT_EQ(steps.apart.size(), 1u);
  EXPECT_EQ(steps.apart[0], "repetitions with a different number of launches (2)");
  EXPECT_NEAR(steps.mean()[StepPart::kernels], 10.04 * milli, near);
  expect_whole(steps);
}

TEST(Steps, LaunchesThatRecurInNoTimeOfTheirOwnAreNone) {
  // On many streams at once: the ends of the operations say nothing of what was launched when.
  Program program;
  for (int i = 0; i < 20; ++i) {
    program.launch("short", i % 4 == 0 ? 100 * ms : 1 * us);
    program.launch("other", 1 * us);
  }
  EXPECT_EQ(steps_of(program.done(), 0, {}).by, StepsBy::nothing);
}

TEST(Steps, OperationsThatALibraryMarksAreNone) {
  Program program;
  for (int i = 0; i < 6; ++i) {
    program.think(3 * ms);
    for (const auto* one : {"Thunk:#hlo_op=a", "Thunk:#hlo_op=a", "Thunk:#hlo_op=b"}) {
      program.range(one, [&] { program.launch("kernel", 1 * ms); });
    }
    program.launch("last", 1 * ms);
    program.wait();
  }
  const auto steps = steps_of(program.done(), 0, {});
  EXPECT_EQ(steps.by, StepsBy::launches);
  EXPECT_NEAR(steps.launches_a_step, 4, 0.01);
}

TEST(Steps, WhereNothingRepeatsTheRunIsTakenWhole) {
  Program program;
  program.copy(50 * ms, 400'000'000, MemoryKind::pageable);
  program.wait();
  program.think(1000 * ms);
  program.call("cuLibraryLoadData", 1 * ms);
  program.launch("a", 1 * ms);
  program.wait();
  program.think(20 * ms);
  program.launch("b", 1 * ms);
  const auto steps = steps_of(program.done(), 0, {});
  EXPECT_EQ(steps.by, StepsBy::nothing);
  ASSERT_EQ(steps.steady.size(), 1u);
  EXPECT_NEAR(steps.mean_s(), 72 * milli, 0.1 * milli) << "the compilation of `a` is start";
  EXPECT_NEAR(steps.mean()[StepPart::copies], 50 * milli, near);
  EXPECT_NEAR(steps.mean()[StepPart::no_call], 20 * milli, near);
  EXPECT_NEAR(steps.start_s, 1001 * milli, 0.1 * milli);
}

TEST(Steps, NothingAtAllIsNoStep) {
  EXPECT_TRUE(steps_of({}, 0, {}).steady.empty());
  Program program;
  program.launch("a", 1 * ms);
  EXPECT_TRUE(steps_of(program.done(), 3, {}).steady.empty()) << "on a device that did nothing";
  EXPECT_EQ(steps_of(program.done(), 0, {}).by, StepsBy::nothing);
}

TEST(Steps, OfOneStepTheStartIsNotSetApart) {
  Training program;
  program.step(0);
  EXPECT_EQ(program.steps().by, StepsBy::nothing) << "a name alone does not repeat";
  const auto named = program.steps("step *");
  EXPECT_EQ(named.by, StepsBy::ranges);
  EXPECT_EQ(named.found, 1u);
  EXPECT_EQ(named.steady.size(), 1u);
  program.step(1);
  const auto two = program.steps();
  EXPECT_EQ(two.found, 2u);
  EXPECT_EQ(two.steady.size(), 1u);
}

TEST(Steps, AStepThatGivesTheDeviceNothingTakesNoneOfItsTime) {
  Program program;
  for (int i = 0; i < 4; ++i) {
    program.range("step " + std::to_string(i), [&] {
      if (i < 3) program.launch("big", 10 * ms);
      program.think(50 * us);
    });
  }
  const auto steps = steps_of(program.done(), 0, {});
  EXPECT_EQ(steps.found, 3u) << "the last one ended on the host while the device still worked";
  for (const auto& step : steps.steady) EXPECT_GT(step.parts.total_s(), 0) << step.name;
}

TEST(Steps, ARangeBehindTheLastLaunchIsNone) {
  Program program;
  for (int i = 0; i < 4; ++i) {
    program.range("ProfilerStep#" + std::to_string(i), [&] {
      if (i < 3) program.launch("big", 1 * ms);
      program.think(i < 3 ? 9 * ms : 5 * us);
    });
  }
  const auto steps = steps_of(program.done(), 0, {});
  EXPECT_EQ(steps.found, 3u);
  EXPECT_NEAR(steps.mean_s(), 9 * milli, 0.1 * milli);
}

TEST(Steps, TheUserNamesThem) {
  Training program;
  for (int i = 0; i < 4; ++i) {
    program.range("epoch " + std::to_string(i), [&] {
      for (int j = 0; j < 2; ++j) program.step(2 * i + j);
    });
  }
  EXPECT_EQ(program.steps().name, "step N") << "a step, not an epoch";
  const auto epochs = program.steps("epoch *");
  EXPECT_EQ(epochs.found, 4u);
  EXPECT_EQ(epochs.name, "epoch *");
  EXPECT_EQ(program.steps("*po*").found, 4u);
  EXPECT_THROW(program.steps("batch *"), std::runtime_error);
}

TEST(Steps, WhatLiesBetweenSomeOfThemIsSetApart) {
  Training program;
  for (int i = 0; i < 8; ++i) {
    program.step(i);
    if (i != 3) continue;
    program.range("validate", [&] {
      for (int j = 0; j < 10; ++j) program.launch("big", 5 * ms);
      program.wait();
    });
  }
  const auto steps = program.steps();
  EXPECT_EQ(steps.apart, std::vector<std::string>{"validate (1)"});
  EXPECT_EQ(steps.found, 8u);
  EXPECT_LT(steps.slowest()->parts.total_s(), 1.1 * steps.median_s());
  expect_whole(steps);
}

TEST(Steps, AValidationOfManyStepsIsSetApartToo) {
  Training program;
  for (int i = 0; i < 8; ++i) {
    program.step(i);
    if (i % 4 != 3) continue;
    for (int j = 0; j < 6; ++j) {
      program.range("eval " + std::to_string(j), [&] {
        program.launch("big", 20 * ms);
        program.wait();
      });
    }
  }
  const auto steps = program.steps("step *");
  EXPECT_EQ(steps.apart, std::vector<std::string>{"eval N (6)"})
      << "behind the last step is not between";
  EXPECT_LT(steps.slowest()->parts.total_s(), 1.1 * steps.median_s());
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

TEST(Steps, APatternMatchesTheOutermostRanges) {
  Program program;
  for (int i = 0; i < 5; ++i) {
    program.range("step " + std::to_string(i), [&] {
      program.range("forward", [&] { program.launch("big", 2 * ms); });
      program.wait();
    });
  }
  EXPECT_EQ(steps_of(program.done(), 0, {}, "*").found, 5u);
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
