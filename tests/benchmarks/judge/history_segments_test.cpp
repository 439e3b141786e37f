// Steps, drifts, turns and levels of a history.

#include "tests/benchmarks/judge/history_runs.hpp"

namespace apod::judge {
namespace {

TEST(History, ASlowDriftIsShown) {
  std::vector<double> levels;
  for (int i = 0; i < 20; ++i) levels.push_back(1 + 0.02 * i);
  const auto c = history_of_levels(levels);
  EXPECT_EQ(c.changes(), 0u);
  ASSERT_NE(c.drift(), nullptr);
  EXPECT_EQ(c.drift()->runs, 20u);
  EXPECT_NEAR(c.drift()->change, 0.39, 0.02);
  EXPECT_NEAR(c.total_change(), 0.39, 0.02);
  EXPECT_NEAR(c.last_segment()->level_s, 1.35e-3, 0.01e-3) << "that of the last runs";
  // Behind a step, which stays one.
  for (int i = 0; i < 12; ++i) levels.insert(levels.begin(), i % 2 == 0 ? 0.5 : 0.501);
  const auto both = history_of_levels(levels);
  EXPECT_EQ(both.changes(), 1u);
  ASSERT_NE(both.drift(), nullptr);
  EXPECT_LE(both.drift()->runs, 20u);
  EXPECT_EQ(history_of_levels(steps(10, {1, 1.1})).drift(), nullptr);
  EXPECT_EQ(history_of_levels(steps(30, {1})).drift(), nullptr);
}

TEST(History, AFindingStaysWhileTheRunsStayWhereItLed) {
  constexpr std::size_t most = 45;
  constexpr unsigned seeds = 12;
  // A step from `first` to `last`, or a drift that begins before.
  const auto is_found = [](const CaseHistory& c, std::size_t first, std::size_t last) {
    for (auto i = first; i <= last && i < c.points.size(); ++i) {
      if (c.points[i].segment != c.points[i - 1].segment) return true;
    }
    return c.drift() != nullptr && c.points.size() - c.drift()->runs <= last;
  };
  const auto expect_kept = [&](const char* name, std::size_t first, std::size_t last,
                               const auto& level_of, double spread = 0.01) {
    unsigned lost = 0;
    for (unsigned seed = 0; seed < seeds; ++seed) {
      std::mt19937 generator(seed);
      std::normal_distribution<double> noise(0, spread);
      std::vector<double> levels;
      bool was_found = false;
      bool was_lost = false;
      while (levels.size() < most) {
        levels.push_back(level_of(static_cast<int>(levels.size())) * std::exp(noise(generator)));
        if (levels.size() < 6) continue;
        const bool found = is_found(history_of_levels(levels), first, last);
        was_lost = was_lost || (was_found && !found);
        was_found = was_found || found;
      }
      EXPECT_TRUE(was_found) << name << ", seed " << seed;
      lost += was_lost ? 1 : 0;
    }
    EXPECT_EQ(lost, 0U) << name;
  };
  expect_kept("a step", 5, 7, [](int i) { return i < 6 ? 1 : 1.12; });
  expect_kept("a drift", 1, most, [](int i) { return std::pow(1.02, i); });
  expect_kept("a drift that ends", 1, 13, [](int i) { return std::pow(1.02, std::min(i, 12)); });
  expect_kept("a longer one", 1, 21, [](int i) { return std::pow(1.02, std::min(i, 20)); });
  expect_kept(
      "one that begins", 4, most, [](int i) { return std::pow(1.05, std::max(i - 5, 0)); }, 0.03);
}

TEST(History, OneDisturbedProcessDoesNotMoveItsRun) {
  std::vector<Side> runs;
  for (std::size_t i = 0; i < 12; ++i) {
    const bool disturbed = i == 4 || i == 5 || i == 9;
    runs.push_back(
        run_of(i, {disturbed ? 6.0 : 1.005, 0.995 + 0.001 * static_cast<double>(i % 3), 1.0}));
  }
  const auto c = only(history_of(runs));
  EXPECT_EQ(c.changes(), 0u);
  EXPECT_NEAR(c.segments.at(0).level_s, 1e-3, 1e-5);
}

TEST(History, APointHasTheTimeAndTheIntervalOfATable) {
  const auto wide = only(history_of({run_of(0, {1.0, 2.0, 32.0})}));
  EXPECT_NEAR(wide.points.at(0).time_s.value, 4e-3, 1e-12);
  const auto c = only(history_of({run_of(0, {1.0, 2.0, 4.0})}));
  ASSERT_EQ(c.points.size(), 1u);
  const auto& point = c.points.front();
  EXPECT_NEAR(point.time_s.value, 2e-3, 1e-12);
  // t(0.975, 2) = 4.302653; the standard error of the logarithms is ln 2 / sqrt 3.
  const double factor = std::exp(4.302653 * std::log(2.0) / std::sqrt(3.0));
  EXPECT_NEAR(point.time_s.low, 2e-3 / factor, 1e-9);
  EXPECT_NEAR(point.time_s.high, 2e-3 * factor, 1e-7);
  EXPECT_EQ(point.processes, 3u);
  EXPECT_EQ(point.commit, "commit0");
  EXPECT_EQ(point.date, day(0));
  EXPECT_EQ(point.file, "run0.json");
  const auto two = only(history_of({run_of(0, {1.0, 4.0})})).points.at(0);
  EXPECT_EQ(two.processes, 2u);
  EXPECT_NEAR(two.time_s.value, 2e-3, 1e-12);
  EXPECT_FALSE(two.time_s.has_interval());
}

TEST(History, EachLevelIsHeldAgainstTheOneBefore) {
  EXPECT_EQ(history_of_levels(steps(12, {1.0})).segments.size(), 1u);
  const auto c = history_of_levels(steps(8, {1.0, 1.10, 0.99}));
  ASSERT_EQ(c.segments.size(), 3u);
  EXPECT_EQ(c.changes(), 2u);
  EXPECT_FALSE(c.segments[0].change.has_value());
  EXPECT_NEAR(*c.segments[1].change, 0.10, 2e-3);
  EXPECT_NEAR(*c.segments[2].change, -0.10, 2e-3);
  EXPECT_NEAR(c.segments[1].level_s, 1.1e-3, 2e-6);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(c.points[i].segment, i / 8) << i;
}

TEST(History, RepetitionsOfOneProcessHaveNoIntervalBetweenProcesses) {
  auto run = run_of(0, {1.0, 2.0, 4.0});
  run.sessions[0].one_process = true;
  const auto c = only(history_of({run}));
  EXPECT_NEAR(c.points[0].time_s.value, 2e-3, 1e-12);
  EXPECT_FALSE(c.points[0].time_s.has_interval());
  EXPECT_EQ(c.points[0].processes, 1u);
}

TEST(History, AChangeOfMostCasesInOneRunIsSaid) {
  const auto runs_with = [](std::size_t changed) {
    auto runs = runs_of(steps(6, {1, 2}));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (std::size_t other = 1; other < 9; ++other) {
        runs[i].cases.push_back(
            side_case("c" + std::to_string(other), three(i < 6 || other > changed ? 1 : 2)));
      }
    }
    return notes_of(history_of(runs));
  };
  EXPECT_TRUE(contains(
      runs_with(5),
      "6 of 9 cases changed together in the run of " + day(6) +
          ", by +100.0 % (median): the cause is the machine, or a change that affects all cases"))
      << runs_with(5);
  EXPECT_FALSE(contains(runs_with(3), "cases changed together"));
}

TEST(History, AStepThatMostCasesShareIsNoChangeOfEach) {
  auto runs = runs_of(steps(8, {1, 1.5}));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (int other = 0; other < 6; ++other) {
      runs[i].cases.push_back(side_case("c" + std::to_string(other), three(i < 8 ? 1 : 1.5)));
    }
    runs[i].cases.push_back(side_case("own", three(i < 8 ? 1 : 10)));
  }
  const auto history = history_of(std::move(runs));
  EXPECT_EQ(history.cases[0].changes(), 0u);
  EXPECT_EQ(history.cases[0].segments.at(1).together, 7u);
  EXPECT_EQ(history.cases[7].name, "own");
  EXPECT_EQ(history.cases[7].changes(), 1u) << "ten times is not what the others share";
}

TEST(History, RunsThatTakeTurnsHaveLevelsAndNoChanges) {
  std::vector<double> levels;
  for (int i = 0; i < 10; ++i) levels.insert(levels.end(), {1.0, 2.0});
  const auto c = history_of_levels(levels);
  EXPECT_EQ(c.changes(), 0u);
  ASSERT_TRUE(c.turns());
  ASSERT_EQ(c.turns()->levels_s.size(), 2u);
  EXPECT_NEAR(c.turns()->levels_s[0], 1e-3, 1e-5);
  EXPECT_NEAR(c.turns()->levels_s[1], 2e-3, 1e-5);
  EXPECT_EQ(c.turns()->last_s, c.turns()->levels_s[1]);
  EXPECT_FALSE(only(history_of(runs_of(steps(10, {1.0, 2.0})))).turns()) << "one step";
}

TEST(History, RunsThatGoOneWayDrift) {
  std::vector<double> halves;
  for (int i = 0; i < 10; ++i) halves.push_back(std::pow(0.5, i));
  const auto c = history_of_levels(halves);
  EXPECT_EQ(c.changes(), 0u);
  ASSERT_TRUE(c.drift());
  EXPECT_NEAR(1 + c.drift()->change, 1.0 / 512, 1e-5);
  EXPECT_EQ(c.drift()->runs, 10u);
  EXPECT_FALSE(history_of_levels(steps(10, {1.0})).drift());
  EXPECT_FALSE(history_of_levels({1, 1.1, 0.9, 1.2, 1.0, 1.15}).drift());
  const auto few = history_of_levels({36.1, 32.2, 0.525, 0.267, 0.0456});
  ASSERT_TRUE(few.drift());
  EXPECT_EQ(few.drift()->runs, 5u);
  EXPECT_FALSE(history_of_levels({1, 1.02, 1.04, 1.06, 1.08}).drift()) << "few, and by little";
}

TEST(History, ARunThatDoesNotNameItsMachineIsNotItsKind) {
  // Two machines in turn; the eighth run names none.
  std::vector<double> levels;
  for (int i = 0; i < 8; ++i) levels.insert(levels.end(), {1.0, 2.0});
  auto runs = runs_of(levels);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i != 7) runs[i].sessions[0].environment["gpu"] = i % 2 == 0 ? "A" : "B";
  }
  const auto c = only(history_of(std::move(runs)));
  EXPECT_EQ(c.changes(), 0u);
  ASSERT_EQ(c.segments.size(), 2u);
  EXPECT_EQ(c.segments[1].epoch_difference, "gpu A -> B");
  EXPECT_NE(c.points[14].segment, c.points[15].segment) << "the machines stay apart";
}

TEST(History, AClockThatCreepsIsHeldAgainstTheFirst) {
  auto runs = runs_of(steps(12, {1.0}));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].sessions[0].environment["cpu_mhz"] = std::to_string(3000 + 100 * i);
  }
  const auto c = only(history_of(std::move(runs)));
  ASSERT_EQ(c.segments.size(), 3u);
  EXPECT_EQ(c.points[5].segment, 1u) << "3500 MHz are 17 % more than 3000";
  EXPECT_EQ(c.points[4].segment, 0u);
}

TEST(History, AWanderingLevelIsNoStep) {
  // An AR(1) process: where the level wanders by a standard deviation of 1 %, neighbours are alike.
  std::mt19937_64 generator(1);
  int false_steps = 0;
  for (int history = 0; history < 100; ++history) {
    std::vector<Side> runs;
    double state = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      double sum = -6;  // twelve uniform numbers are nearly normal
      for (int k = 0; k < 12; ++k) sum += static_cast<double>(generator() >> 11) * 0x1p-53;
      state = 0.8 * state + 0.6 * sum;
      runs.push_back(run_of(i, {std::exp(0.01 * state)}));
    }
    false_steps += only(history_of(std::move(runs))).changes() > 0 ? 1 : 0;
  }
  EXPECT_LE(false_steps, 9);
}

TEST(History, AChangePointSaysWhatElseDiffers) {
  auto runs = runs_of(steps(6, {1.0, 1.2}));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].cases[0].facts = {{"sm_clock", i < 6 ? 1980.0 : 1600.0}};
  }
  const auto c = only(history_of(std::move(runs)));
  ASSERT_EQ(c.segments.size(), 2u);
  std::string causes;
  for (const auto& cause : c.segments[1].causes) causes += cause.text + "\n";
  EXPECT_TRUE(contains(causes, "SM clock 1980 MHz -> 1600 MHz"));
  EXPECT_TRUE(contains(causes, "commit5 -> commit6"));
  EXPECT_FALSE(contains(causes, "not recorded"));
  EXPECT_TRUE(c.segments[0].causes.empty());
}

TEST(History, AStepBelowTheSpreadOfTheProcessesIsNone) {
  // The runs agree far better than three processes that are 3 % apart can.
  std::vector<Side> runs;
  for (std::size_t i = 0; i < 12; ++i) {
    const double level = i < 6 ? 1.0 : 1.012;
    runs.push_back(run_of(i, {0.97 * level, level, 1.03 * level}));
  }
  EXPECT_EQ(only(history_of(runs)).segments.size(), 1u);
  for (auto& run : runs) run.cases[0].times = {run.cases[0].times[1]};
  EXPECT_EQ(only(history_of(runs)).changes(), 1u) << "a lone process says nothing of a spread";
}

TEST(History, AStepOfLessThanWhatMattersIsSmallAndNoChange) {
  for (const double factor : {1.009, 0.991, 1.012}) {
    const auto c = only(history_of(runs_of(steps(6, {1.0, factor}))));
    ASSERT_EQ(c.segments.size(), 2u);
    EXPECT_TRUE(c.segments[1].is_step());
    EXPECT_EQ(c.changes(), factor > 1.01 ? 1u : 0u);
    EXPECT_NEAR(c.total_change(), factor - 1, 1e-3) << "the level did change";
  }
}

TEST(History, OneWildRunHidesNoStep) {
  auto runs = runs_of(steps(8, {1.0, 1.05}));
  for (auto& time : runs[3].cases[0].times) time.seconds *= 50;
  const auto c = only(history_of(std::move(runs)));
  ASSERT_EQ(c.segments.size(), 2u);
  EXPECT_NEAR(*c.segments[1].change, 0.05, 2e-3);
  EXPECT_TRUE(c.points[3].outlier);
  EXPECT_GT(c.points[3].time_s.value, 3e-3) << "it is shown as it was measured";
}

TEST(History, ARunThatStandsAloneIsAnOutlierUntilTheNextAgrees) {
  using Runs = std::vector<std::size_t>;
  struct Example {
    Runs far;  ///< of twelve runs, those that took 30 % longer
    Runs outliers;
    std::size_t changes;
  };
  for (const auto& [far, outliers, changes] :
       {Example{{}, {}, 0}, Example{{0}, {0}, 0}, Example{{5, 7}, {5, 7}, 0},
        Example{{11}, {11}, 0}, Example{{10, 11}, {}, 1}}) {
    auto levels = steps(12, {1.0});
    for (const std::size_t run : far) levels[run] = 1.3 + 0.1 * static_cast<double>(run % 5);
    if (changes > 0) levels[11] = levels[10];
    const auto c = history_of_levels(levels);
    EXPECT_EQ(c.changes(), changes) << testing::PrintToString(far);
    Runs found;
    for (std::size_t i = 0; i < 12; ++i) {
      if (c.points[i].outlier) found.push_back(i);
    }
    EXPECT_EQ(found, outliers);
  }
}

TEST(History, WithoutAStepAFalseOneIsRare) {
  std::mt19937_64 generator(7);
  const auto normal = [&] {
    // Twelve uniform values: their sum is as good as normal, and the same everywhere.
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(generator() >> 11) * 0x1p-53;
    return sum;
  };
  constexpr int histories = 300;
  int wrong = 0;
  for (int i = 0; i < histories; ++i) {
    std::vector<Side> runs;
    for (std::size_t run = 0; run < 12; ++run) {
      const double level = std::exp(0.005 * normal());
      std::vector<double> times;
      for (int process = 0; process < 3; ++process) {
        times.push_back(level * std::exp(0.005 * normal()));
      }
      runs.push_back(run_of(run, times));
    }
    wrong += only(history_of(std::move(runs))).changes() > 0 ? 1 : 0;
  }
  EXPECT_LE(wrong, histories / 20);
}

TEST(History, AnotherDriverBeginsAnEpochAndIsNoChange) {
  auto runs = runs_of(steps(6, {1.0, 1.2, 1.2, 1.5}));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].sessions[0].environment["driver"] = i < 12 ? "570" : "580";
  }
  runs[3].sessions[0].environment["host"] = "other";  // nor do a host's name and a commit begin one
  const auto c = only(history_of(std::move(runs)));
  ASSERT_EQ(c.segments.size(), 4u);
  EXPECT_EQ(c.segments[2].epoch_difference, "driver 570 -> 580");
  EXPECT_FALSE(c.segments[2].is_change());
  EXPECT_NEAR(*c.segments[2].change, 0, 2e-3);
  EXPECT_EQ(c.segments[3].epoch, 1u);
  EXPECT_NEAR(*c.segments[3].change, 0.25, 3e-3);
  EXPECT_EQ(c.changes(), 2u);
}

TEST(History, WhatARunDoesNotRecordDecidesNothing) {
  auto runs = runs_of(steps(4, {1.0}));
  runs[0].sessions[0].environment["driver"] = "570";
  runs[2].sessions[0].environment["driver"] = "570";
  runs[3].sessions[0].environment["driver"] = "580";
  const auto c = only(history_of(std::move(runs)));
  ASSERT_EQ(c.segments.size(), 2u);
  EXPECT_EQ(c.points[2].segment, 0u);
  EXPECT_EQ(c.segments[1].epoch_difference, "driver 570 -> 580");
}

TEST(History, AnotherWayOfMeasuringOrAnotherSizeBeginsAnEpoch) {
  auto runs = runs_of(steps(6, {1.0}));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].cases[0].version = i < 2 ? "cache:cold" : "cache:hot";
    runs[i].cases[0].params = {{"size", i < 4 ? "100" : "200"}};
  }
  const auto c = only(history_of(std::move(runs)));
  ASSERT_EQ(c.segments.size(), 3u);
  EXPECT_EQ(c.segments[1].epoch_difference, "measured as cache:cold -> cache:hot");
  EXPECT_EQ(c.segments[2].epoch_difference, "size 100 -> 200");
}

TEST(History, MoreRunsDoNotLoseAStep) {
  std::vector<double> levels{1.00, 1.01, 0.99, 1.005, 0.995, 1.01, 1.12, 1.13};
  bool shown = false;
  for (const double next : {1.12, 1.07, 1.18, 1.09, 1.16, 1.12}) {
    levels.push_back(next);
    const auto changes = only(history_of(runs_of(levels))).changes();
    EXPECT_TRUE(changes > 0 || !shown) << levels.size() << " runs";
    shown = shown || changes > 0;
  }
  EXPECT_TRUE(shown);
}

TEST(History, ARunThatLayFarOutIsAStepWhenItStays) {
  // Six runs, then a level of 12 % more; runs vary by 1 %, a process each.
  std::size_t far_out = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.01);
    std::vector<Side> runs;
    const auto add = [&](double level) {
      runs.push_back(run_of(runs.size(), {level * std::exp(noise(random))}));
    };
    for (int run = 0; run < 6; ++run) add(1);
    add(1.12);
    const bool told = only(history_of(runs)).points.back().outlier;
    far_out += told ? 1 : 0;
    for (int more = 0; more < 4; ++more) {
      add(1.12);
      const auto c = only(history_of(runs));
      EXPECT_TRUE(!told || c.changes() > 0) << "seed " << seed << ", " << runs.size() << " runs";
    }
  }
  EXPECT_GT(far_out, 40u);
}

TEST(History, MachinesThatTakeTurnsAreFollowedApart) {
  // One of them gets slower by 30 % from its fifth run on.
  std::vector<double> levels;
  for (std::size_t i = 0; i < 8; ++i) levels.insert(levels.end(), {i < 4 ? 1.0 : 1.3, 2.0});
  auto runs = runs_of(levels);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].sessions[0].environment["gpu"] = i % 2 == 0 ? "A" : "B";
  }
  const auto history = history_of(std::move(runs));
  const auto& c = only(history);
  ASSERT_EQ(c.segments.size(), 3u);
  EXPECT_EQ(c.segments[1].epoch_difference, "gpu A -> B");
  EXPECT_EQ(c.segments[1].machine, 1u);
  EXPECT_EQ(c.changes(), 1u);
  EXPECT_NEAR(*c.segments[2].change, 0.3, 1e-2);
  EXPECT_EQ(c.points[15].segment, 1u) << "back on the other machine";
  EXPECT_FALSE(contains(notes_of(history), "can't show a change"));
}

TEST(History, AStepOfTheMachineIsNoChangeAndIsSaid) {
  auto runs = runs_of({1.0, 1.0, 1.0, 1.0, 1.3, 1.3, 1.3, 1.3});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].sessions[0].environment["driver"] = i < 4 ? "570" : "580";
  }
  const auto history = history_of(std::move(runs));
  EXPECT_EQ(only(history).changes(), 0u);
  EXPECT_TRUE(contains(notes_of(history),
                       "run4.json: driver 570 -> 580: a new series begins in 1 of 1 case; "
                       "the step of +30.1 % is not a change of the code"))
      << notes_of(history);
}

TEST(History, OfManyStepsOfTheMachineTheRestIsCounted) {
  std::vector<double> seconds;
  for (int step = 0; step < 8; ++step) seconds.insert(seconds.end(), 4, 1.0 + 0.3 * step);
  auto runs = runs_of(seconds);
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i].sessions[0].environment["driver"] = std::to_string(500 + i / 4);
  EXPECT_TRUE(contains(notes_of(history_of(std::move(runs))),
                       "more new series: 2; their steps are not changes of the code"));
}

TEST(History, AMedianOfChangesToBothSidesIsNotSaid) {
  EXPECT_EQ(changes_text({0.1}), "+10.0 %");
  EXPECT_EQ(changes_text({0.1, 0.2, 0.12}), "+12.0 % (median)");
  EXPECT_EQ(changes_text({0.1, -0.17}), "-17.0 to +10.0 %");
}

TEST(History, PhasesThatWeighOtherwiseInSomeRunsAreNotedOnce) {
  auto runs = runs_of(steps(6, {0.005}));
  for (auto& run : runs) run.cases[0].facts = {{"phase_period", 8}, {"phases_visited", 8}};
  const std::string note =
      "the phases of launches have equal weight only in x: see "
      "docs/launch-phase.md";
  const auto noted = [&] { return std::ranges::count(history_of(runs).notes, note); };
  EXPECT_EQ(noted(), 0);
  runs[2].cases[0].facts = runs[4].cases[0].facts = {};
  EXPECT_EQ(noted(), 1);
}

}  // namespace
}  // namespace apod::judge
