// Two builds, or values of an axis, side by side. The programs that are run are scripts whose times
// are fixed, so that a verdict here says nothing about the machine; one test runs the real program.

#include "tests/cli/side_by_side.hpp"

namespace apod::test {
namespace {

const std::string two_workloads =
    copies("1000") + "  - {workload: normalize, axes: {variant: host, size: 1000}}\n";

/// A program with one case, which takes so long (ns) with 1, 2 and 4 streams.
std::string ladder(int with_1, int with_2, int with_4) {
  return fake_bench("", "times=([1]=" + std::to_string(with_1) + " [2]=" + std::to_string(with_2) +
                            " [4]=" + std::to_string(with_4) + R"()
streams=${set#streams=}
row "e/v/size:8/streams:$streams" ${times[$streams]}
echo "{\"context\":{\"host_name\":\"h\"},\"benchmarks\":[$rows]}" >"$out"
exit 0
)");
}

TEST_F(SideBySideTest, FindsTheOneCaseThatGotSlowerAndMeasuresItAgainAlone) {
  program("b", fake_bench("2100"));
  const auto run = compare_builds(3);
  const auto slower = case_of(run, "e/v/size:9/streams:1");
  EXPECT_EQ(slower.at("verdict"), "regression");
  EXPECT_NEAR(slower.at("change").get<double>(), 0.05, 0.002);
  EXPECT_EQ(case_of(run, "e/v/size:8/streams:1").at("verdict"), "unchanged");
  const auto all = slots();
  // 5 blocks of screening and 12 of confirmation, four slots each, then a traced look at both.
  ASSERT_EQ(all.size(), 4U * (5 + 12) + 2);
  EXPECT_TRUE(lacks(all[0], "--only"));
  EXPECT_TRUE(holds(all[20], "--only"));
  EXPECT_TRUE(holds(all.back(), "--set trace=true"));
  EXPECT_TRUE(holds(all[0], "--processes 1"));
}

TEST_F(SideBySideTest, ABlockIsSymmetric) {
  compare_builds(0);
  const auto all = slots();
  ASSERT_EQ(all.size(), 20U);
  for (std::size_t block = 0; block < 5; ++block) {
    const auto* slot = &all[4 * block];
    EXPECT_EQ(slot[0].substr(0, 3), slot[3].substr(0, 3));
    EXPECT_EQ(slot[1].substr(0, 3), slot[2].substr(0, 3));
    EXPECT_NE(slot[0].substr(0, 3), slot[1].substr(0, 3));
  }
}

TEST_F(SideBySideTest, TheSeedRepeatsTheOrder) {
  compare("--base-bin ./a --new-bin ./b --seed 3");
  const auto first = slots();
  std::filesystem::remove(path("slots"));
  const auto run = compare("--base-bin ./a --new-bin ./b --seed 3");
  const auto second = slots();
  ASSERT_EQ(first.size(), second.size());
  const auto order = [](const std::string& slot) {
    const auto seed = slot.find("--seed");
    return slot.substr(0, 3) + " " + slot.substr(seed, slot.find(" --quiet") - seed);
  };
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(order(first[i]), order(second[i]));
  EXPECT_EQ(Json::parse(run.out).at("seed"), 3);
}

TEST_F(SideBySideTest, ALadderHoldsEachValueAgainstTheOneBefore) {
  program("a", ladder(1000, 500, 600));
  const auto run = compare("--new-bin ./a --by streams=1,2,4 --seed 1");
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_EQ(case_of(run, "e/v/size:8 [streams 1 -> 2]").at("verdict"), "improvement");
  const auto back = case_of(run, "e/v/size:8 [streams 2 -> 4]");
  EXPECT_EQ(back.at("verdict"), "regression");
  EXPECT_NEAR(back.at("change").get<double>(), 0.2, 0.01);
}

TEST_F(SideBySideTest, ACaseThatOnlyOneBuildHasIsNotDropped) {
  program("b", fake_bench("2000", "row e/v/size:10/streams:1 5"));
  EXPECT_EQ(case_of(compare("--base-bin ./a --new-bin ./b"), "e/v/size:10/streams:1").at("verdict"),
            "new");
  std::filesystem::remove(path("slots"));
  const auto run = compare("--base-bin ./b --new-bin ./a");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(case_of(run, "e/v/size:10/streams:1").at("verdict"), "missing");
}

TEST_F(SideBySideTest, WhatCanNotBeJudgedRunsInTheFirstBlockOnly) {
  program("b",
          fake_bench("2000", "row e/v/size:10/streams:1 5; [[ -z $only ]] || cat $only >>ids"));
  compare_builds(0);
  const auto all = slots();
  ASSERT_EQ(all.size(), 20U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(holds(all[i], "--only"), i >= 4) << all[i];
  }
  const auto ids = read("ids");
  EXPECT_TRUE(holds(ids, "e/v/size:8/streams:1"));
  EXPECT_TRUE(lacks(ids, "e/v/size:10/streams:1")) << "only one build has it";
}

TEST_F(SideBySideTest, MoreBlocksOfConfirmationNeedMoreOfScreening) {
  compare_builds(0, "--blocks 24");
  EXPECT_EQ(slots().size(), 4U * 10);
}

TEST_F(SideBySideTest, ALadderConfirmsOnlyInTheArmsOfACandidate) {
  program("a", ladder(1000, 1000, 1200));
  EXPECT_EQ(compare("--new-bin ./a --by streams=1,2,4 --seed 1").exit_code, 3);
  auto all = slots();
  std::erase_if(all, [](const std::string& slot) { return holds(slot, "trace=true"); });
  ASSERT_EQ(all.size(), 6U * 5 + 4U * 12) << "three arms are screened, two are confirmed";
  for (std::size_t i = 30; i < all.size(); ++i) {
    EXPECT_TRUE(lacks(all[i], "--set streams=1 ")) << all[i];
  }
}

TEST_F(SideBySideTest, ACaseThatFailsIsInvalidAndTheOthersAreJudged) {
  program("b",
          fake_bench(
              "2000",
              R"(rows='{"name":"e/bad","error_occurred":true,"error_message":"wrong answer"}')"));
  const auto run = compare_builds(4);
  EXPECT_EQ(case_of(run, "e/v/size:8/streams:1").at("verdict"), "unchanged");
  EXPECT_TRUE(holds(run.out, "e/bad"));
}

TEST_F(SideBySideTest, ABareNameIsAFileOfThisFolderAndNotOneOnThePath) {
  program("sh", fake_bench());
  const auto run = compare("--base-bin sh --new-bin b");
  EXPECT_EQ(case_of(run, "e/v/size:8/streams:1").at("verdict"), "unchanged");
}

TEST_F(SideBySideTest, WhatIsNoProgramIsRefused) {
  write("data", "");
  program("damaged",
          "\x7f"
          "ELF\necho this is not a shell script\n");
  expect_refused({{"--base-bin ./damaged", "./damaged: can't be started: Exec format error"},
                  {"--base-bin ./nowhere", "./nowhere: there is no such file"},
                  {"--base-bin ./a --new-bin ./data", "bench compare: ./data: is not executable"},
                  {"--base-bin /tmp", "bench compare: /tmp: is a folder"},
                  {"--base-bin sh", "./sh: there is no such file"}},
                 "bench compare --config ./x.yaml -q ");
  EXPECT_FALSE(exists("slots"));
}

TEST_F(SideBySideTest, AnExperimentThatOneBuildRefusesIsFoundBeforeTheFirstSlot) {
  program("b",
          "#!/bin/bash\n[[ \" $* \" == *' --dry-run '* ]] && echo 'x.yaml:1:1: no such axis' >&2\n"
          "exit 1\n");
  const auto run = compare_builds(1);
  EXPECT_TRUE(holds(run.err, "./b can't run this experiment (exit code 1); nothing was measured",
                    "x.yaml:1:1: no such axis"));
  EXPECT_FALSE(exists("slots"));
}

TEST_F(SideBySideTest, AProgramWithoutAResultIsQuoted) {
  program("b",
          "#!/bin/bash\n[[ \" $* \" == *' --dry-run '* ]] && exit 0\n"
          "echo 'the device is gone' >&2\nexit 1\n");
  const auto run = compare_builds(1);
  EXPECT_TRUE(holds(run.err, "bench wrote no result (exit code 1): ./b", "the device is gone"));
}

TEST_F(SideBySideTest, ABadSlotLosesNoBlockBeforeIt) {
  // From the tenth slot on, the second of the third block, they write half a result; screening has
  // found the case that got slower by then, but nothing confirmed it.
  builds_that("((run < 10)) || { echo '{\"context\": {' >\"$out\"; exit 0; }\n");
  const auto run = compare_builds(4, "--out r.txt --out r.xml");
  const auto json = Json::parse(run.out);
  EXPECT_TRUE(holds(json.at("verdict"), "INCOMPLETE (ended early): "));
  EXPECT_TRUE(holds(json.at("failure"), "screening, block 3 of 5, ./"));
  EXPECT_EQ(json.at("interrupted"), false);
  ASSERT_EQ(json.at("cases").size(), 2U);
  EXPECT_EQ(json.at("cases")[0].at("base_units"), 2);
  EXPECT_TRUE(holds(read("r.txt"), "INCOMPLETE (ended early): "));
  EXPECT_TRUE(holds(read("r.xml"), "type=\"incomplete\""));
  EXPECT_EQ(slots().size(), 11U) << "it was tried twice";
}

TEST_F(SideBySideTest, ASlotThatFailsOnceIsTriedAgain) {
  builds_that("[[ $run != 10 ]] || { echo 'an accident' >&2; exit 9; }\n");
  const auto run = compare_builds(0, "--out r.txt");
  EXPECT_GE(slots().size(), 4U * 5 + 1);
  EXPECT_EQ(Json::parse(run.out).at("failure"), "");
  EXPECT_TRUE(holds(read("r.txt"), "failed, and was tried again", "exit code 9"));
}

TEST_F(SideBySideTest, RepetitionsInASlotAreOneVisit) {
  // Rows of one name, as a program of Google Benchmark's has them: half of them 21 % slower is 10
  // %.
  const std::string name = "e/v/size:9/streams:1";
  builds(fake_bench("1000", "row " + name + " 1000"), fake_bench("1000", "row " + name + " 1210"));
  EXPECT_NEAR(case_of(compare_builds(3), name).at("change").get<double>(), 0.1, 0.002);
}

TEST_F(SideBySideTest, ARegressionThatWasConfirmedBeforeABadSlotStays) {
  builds_that("((run < 62)) || exit 1\n", "2100");
  const auto run = compare_builds(3);
  const auto verdict = Json::parse(run.out).at("verdict");
  EXPECT_TRUE(holds(verdict, "INCOMPLETE (ended early), REGRESSION: 1 of 2 cases"));
}

TEST_F(SideBySideTest, AnInterruptionJudgesWhatThereIs) {
  // The ninth slot sends the signal to the comparison itself: two whole blocks are there then.
  builds_that("[[ $run != 9 ]] || { kill -INT $PPID; sleep 60; }");
  const auto run = compare_builds(130);
  const auto json = Json::parse(run.out);
  EXPECT_EQ(json.at("interrupted"), true);
  EXPECT_EQ(json.at("cases").size(), 2U);
  EXPECT_TRUE(holds(json.at("verdict"), "INCOMPLETE (interrupted): "));
  EXPECT_EQ(slots().size(), 9U);
}

TEST_F(SideBySideTest, InTheFirstBlockNoCaseIsNewOrMissingYet) {
  builds_that("[[ $run != 2 ]] || { kill -INT $PPID; sleep 60; }");
  const auto run = compare_builds(130);
  const auto json = Json::parse(run.out);
  EXPECT_EQ(json.at("verdict"), "INCOMPLETE (interrupted): nothing was compared");
  EXPECT_TRUE(json.at("cases").empty());
}

TEST_F(SideBySideTest, AKilledComparisonLeavesNoProgramBehind) {
  // What waits was started by the slot, as by a script around bench.
  program("a", fake_bench("2000", "sleep 300 & echo $! >slot_pid; wait"));
  passes(
      "set -m; \"$BENCH\" compare --config ./x.yaml --base-bin ./a --new-bin ./a -q &"
      " while ! test -s slot_pid; do kill -0 $! || exit 9; sleep 0.05; done; kill -KILL $!; wait "
      "$!;"
      " for i in {1..200}; do grep -qs 'State:.[^Z]' /proc/$(<slot_pid)/status || exit 0;"
      " sleep 0.05; done; kill $(<slot_pid); exit 8");
}

TEST_F(SideBySideTest, AKilledComparisonLeavesNoFolder) {
  program("a", fake_bench("2000", "touch began; sleep 300"));
  std::filesystem::create_directory(path("temporary"));
  const std::string begin =
      "export TMPDIR=$PWD/temporary; rm -f began; set -m;"
      " \"$BENCH\" compare --config ./x.yaml --base-bin ./a --new-bin ./a -q &"
      " while ! test -e began; do kill -0 $! || exit 9; sleep 0.05; done;"
      " test \"$(ls -A temporary)\" || exit 7; ";
  for (const char* signals : {"kill -TERM $!", "kill -INT $!; sleep 1.2; kill -INT $!",
                              "kill -KILL $!", "kill -KILL -$!"}) {
    passes(begin + signals +
           "; wait $!; for i in {1..200}; do test \"$(ls -A temporary)\" || exit 0; sleep 0.05; "
           "done; exit 8");
  }
}

TEST_F(SideBySideTest, ALogHasFewLinesAndATerminalABar) {
  const std::string command =
      "\"$BENCH\" compare --config ./x.yaml --base-bin ./a --new-bin ./a --seed 7";
  const auto log = shell(command);
  EXPECT_TRUE(holds(log.err, "[1 so far] screening, block 1 of 5: ./a\n",
                    "[20 so far] screening, block 5 of 5: ./a\n"));
  EXPECT_LT(std::count(log.err.begin(), log.err.end(), '\n'), 15) << "at most one a second";
  if (shell("script -qec true /dev/null").exit_code != 0) {
    GTEST_SKIP() << "script(1) gives no terminal here";
  }
  const auto terminal = shell("export BENCH; script -qec '" + command + "' /dev/null");
  EXPECT_TRUE(holds(terminal.out, " 20 so far  ./a"));
  EXPECT_FALSE(terminal.out.find("block 1 of 5\r\n") != std::string::npos);
}

TEST_F(SideBySideTest, ALadderThatMeansNothingIsRefusedBeforeTheFirstSlot) {
  write("real.yaml", two_workloads);
  expect_refused({{"streems=1,2", "no experiment has the axis 'streems'"},
                  {"streams=1,1", "contains a value twice"},
                  {"size=1000,1e3", "1000 is listed twice"},
                  {"variant=host,hosst", "did you mean 'host'?"},
                  {"cache=hot,cold", "'cache' is a key of measure, not an axis"}},
                 "bench compare --config real.yaml -q --by ");
}

TEST_F(SideBySideTest, FlagsThatDoNotFitAreRefusedBeforeAnythingRuns) {
  expect_refused(
      {
          {"--config x.yaml", "--config needs --base-bin FILE or --by AXIS=A,B"},
          {"--base-bin ./a", "--base-bin needs --config"},
          {"a.json b.json --config x.yaml", "can't be combined with --config"},
          {"a.json", "NEW is missing: there is only 'a.json'"},
          {"", "nothing to compare"},
          {"--config x.yaml --by streams=1", "is not of the form AXIS=A,B"},
          {"--config x.yaml --by streams=1,2 --base-bin ./a",
           "--by and --base-bin can't be combined"},
          {"a.json b.json --blocks 3", "BASE NEW and --blocks can't be combined"},
          {"a.json b.json --confirm", "--confirm needs --base-bin: add --base-bin"},
          {"a.json b.json --confirm --base-bin ./a", "--confirm needs --config: add --config"},
          {"a.json b.json --confirm --config x.yaml --by streams=1,2",
           "--confirm and --by can't be combined"},
          {"--confirm --config x.yaml --base-bin ./a", "--confirm needs BASE and NEW"},
          {"a.json b.json --changed", "--changed and BASE NEW can't be combined"},
          {"--config x.yaml --by streams=1,2 --changed", "--changed and --by can't be combined"},
          {"--config x.yaml --base-bin ./a --calibration c.json",
           "--calibration needs BASE and NEW"},
          {"a.json b.json --threshold 5", "not between 0% and 100%"},
          {"--config x.yaml --base-bin ./a --budget soon", "is not a time"},
          {"--config x.yaml --base-bin ./a --budget 10", "has no unit (write 10s or 10m)"},
          {"--config x.yaml --base-bin ./a --out r.pdf", "r.pdf"},
      },
      "bench compare ");
  EXPECT_FALSE(exists("slots"));
}

TEST_F(SideBySideTest, ALadderLeavesOutExperimentsThatDoNotHaveItsAxis) {
  write("real.yaml", two_workloads);
  const auto list = shell(
      "bench --config real.yaml --having variant=grid_stride,memcpy_async"
      " --set variant=memcpy_async --benchmark_list_tests");
  EXPECT_EQ(list.out, "copy/memcpy_async/size:1000\n") << list.err;
  const auto run = shell(
      "bench compare --config real.yaml --by accumulator=fp32,fp64 --backend host --blocks 3 "
      "--format json -q");
  const auto cases = Json::parse(run.out).at("cases");
  ASSERT_EQ(cases.size(), 1U) << run.out;
  EXPECT_EQ(cases[0].at("name"), "normalize/host/size:1000 [accumulator fp32 -> fp64]");
}

TEST_F(SideBySideTest, TheProgramItselfTakesPart) {
  write("real.yaml", copies("1000"));
  const auto run =
      shell("bench compare --config real.yaml --by size=1000,4000000 --blocks 3 --format json -q");
  // Four thousand times as much to copy is slower on every machine, though three blocks on a busy
  // one may not settle it.
  EXPECT_TRUE(run.exit_code == 3 || run.exit_code == 4) << run.exit_code << run.err;
  EXPECT_GT(case_of(run, "copy/host [size 1000 -> 4000000]").at("change").get<double>(), 1);
}

}  // namespace
}  // namespace apod::test
