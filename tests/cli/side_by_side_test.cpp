// Two builds, or values of an axis, side by side. The programs that are run are scripts whose times
// are fixed, so that a verdict here says nothing about the machine; one test runs the real program.

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

/// A program that understands what a slot is told: it notes its arguments in `slots`, and writes
/// times (ns) of `fast` and `slow` as Google Benchmark would. Each run's times differ a little. It
/// has nothing against any plan.
std::string fake_bench(const std::string& fast, const std::string& slow,
                       const std::string& extra = "") {
  return R"(#!/bin/bash
[[ " $* " != *" --dry-run "* ]] || exit 0
echo "$0 $*" >>slots
while (($#)); do
  case $1 in
    --out) out=$2 ;;
    --only) only=$2 ;;
    --set) set=$2 ;;
  esac
  shift
done
run=$(wc -l <slots)
row() {
  [[ -z $only ]] || grep -qxF "$1" "$only" || return 0
  ns=$(awk "BEGIN { print $2 * (1 + 0.0002 * (($run * 7) % 5 - 2)) }")
  rows="$rows${rows:+,}{\"name\":\"$1\",\"run_type\":\"iteration\",\"iterations\":1,\"real_time\":$ns,\"cpu_time\":$ns,\"time_unit\":\"ns\"}"
}
)" + extra +
         "\nfast=" + fast + "; slow=" + slow + R"(
row e/v/size:8/streams:1 "$fast"
row e/v/size:9/streams:1 "$slow"
echo "{\"context\":{\"host_name\":\"h\"},\"benchmarks\":[$rows]}" >"$out"
)";
}

class SideBySideTest : public ProgramTest {
 protected:
  SideBySideTest() { write("x.yaml", "schema: 1\n"); }

  void program(const std::string& name, const std::string& text) const {
    write(name, text);
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }
  Outcome compare(const std::string& arguments) const {
    return shell("bench compare --config ./x.yaml --format json -q " + arguments);
  }
  std::vector<std::string> slots() const {
    std::vector<std::string> lines;
    std::istringstream text(read_file(path("slots")));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  static nlohmann::json case_of(const Outcome& run, const std::string& name) {
    const auto comparison = nlohmann::json::parse(run.out);
    for (const auto& c : comparison.at("cases")) {
      if (c.at("name") == name) return c;
    }
    ADD_FAILURE() << name << " is not in:\n" << run.out << run.err;
    return {{"verdict", ""}, {"change", 0.0}};
  }
};

TEST_F(SideBySideTest, FindsTheOneCaseThatGotSlowerAndMeasuresItAgainAlone) {
  program("a", fake_bench("1000", "2000"));
  program("b", fake_bench("1000", "2100"));
  const auto run = compare("--base-bin ./a --new-bin ./b --seed 7");
  EXPECT_EQ(run.exit_code, 3) << run.err;
  const auto slower = case_of(run, "e/v/size:9/streams:1");
  EXPECT_EQ(slower.at("verdict"), "regression");
  EXPECT_NEAR(slower.at("change").get<double>(), 0.05, 0.002);
  EXPECT_EQ(case_of(run, "e/v/size:8/streams:1").at("verdict"), "unchanged");
  const auto all = slots();
  // 5 blocks of screening and 12 of confirmation, four slots each, then a traced look at both.
  ASSERT_EQ(all.size(), 4U * (5 + 12) + 2);
  EXPECT_FALSE(holds(all[0], "--only"));
  EXPECT_TRUE(holds(all[20], "--only"));
  EXPECT_TRUE(holds(all.back(), "--set trace=true"));
  EXPECT_TRUE(holds(all[0], "--processes 1"));
}

TEST_F(SideBySideTest, ABlockIsSymmetric) {
  program("a", fake_bench("1000", "2000"));
  program("b", fake_bench("1000", "2000"));
  EXPECT_EQ(compare("--base-bin ./a --new-bin ./b --seed 7").exit_code, 0);
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
  program("a", fake_bench("1000", "2000"));
  program("b", fake_bench("1000", "2000"));
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
  EXPECT_EQ(nlohmann::json::parse(run.out).at("seed"), 3);
}

TEST_F(SideBySideTest, ALadderHoldsEachValueAgainstTheOneBefore) {
  // The script's axis: streams=2 halves the time, streams=4 makes it worse again.
  const std::string by_streams = R"(
streams=${set#streams=}
case $streams in 1) time=1000 ;; 2) time=500 ;; 4) time=600 ;; esac
row "e/v/size:8/streams:$streams" $time
echo "{\"context\":{\"host_name\":\"h\"},\"benchmarks\":[$rows]}" >"$out"
exit 0
)";
  program("a", fake_bench("1", "1", by_streams));
  const auto run = compare("--new-bin ./a --by streams=1,2,4 --seed 1");
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_EQ(case_of(run, "e/v/size:8 [streams 1 -> 2]").at("verdict"), "improvement");
  const auto back = case_of(run, "e/v/size:8 [streams 2 -> 4]");
  EXPECT_EQ(back.at("verdict"), "regression");
  EXPECT_NEAR(back.at("change").get<double>(), 0.2, 0.01);
}

TEST_F(SideBySideTest, ACaseThatOnlyOneBuildHasIsNotDropped) {
  program("a", fake_bench("1000", "2000"));
  program("b", fake_bench("1000", "2000", "row e/v/size:10/streams:1 5"));
  EXPECT_EQ(case_of(compare("--base-bin ./a --new-bin ./b"), "e/v/size:10/streams:1").at("verdict"),
            "new");
  std::filesystem::remove(path("slots"));
  const auto run = compare("--base-bin ./b --new-bin ./a");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(case_of(run, "e/v/size:10/streams:1").at("verdict"), "missing");
}

TEST_F(SideBySideTest, WhatCanNotBeJudgedRunsInTheFirstBlockOnly) {
  program("a", fake_bench("1000", "2000"));
  program("b", fake_bench("1000", "2000",
                          "row e/v/size:10/streams:1 5; [[ -z $only ]] || cat $only >>ids"));
  compare("--base-bin ./a --new-bin ./b --seed 7");
  const auto all = slots();
  ASSERT_EQ(all.size(), 20U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(holds(all[i], "--only"), i >= 4) << all[i];
  }
  const auto ids = read_file(path("ids"));
  EXPECT_TRUE(holds(ids, "e/v/size:8/streams:1"));
  EXPECT_FALSE(holds(ids, "e/v/size:10/streams:1")) << "only one build has it";
}

TEST_F(SideBySideTest, MoreBlocksOfConfirmationNeedMoreOfScreening) {
  program("a", fake_bench("1000", "2000"));
  program("b", fake_bench("1000", "2000"));
  compare("--base-bin ./a --new-bin ./b --seed 7 --blocks 24");
  EXPECT_EQ(slots().size(), 4U * 10);
}

TEST_F(SideBySideTest, ALadderConfirmsOnlyInTheArmsOfACandidate) {
  // streams=4 is slower than 2; 1 and 2 are the same.
  const std::string by_streams = R"(
streams=${set#streams=}
case $streams in 1 | 2) time=1000 ;; 4) time=1200 ;; esac
row "e/v/size:8/streams:$streams" $time
echo "{\"context\":{\"host_name\":\"h\"},\"benchmarks\":[$rows]}" >"$out"
exit 0
)";
  program("a", fake_bench("1", "1", by_streams));
  EXPECT_EQ(compare("--new-bin ./a --by streams=1,2,4 --seed 1").exit_code, 3);
  auto all = slots();
  std::erase_if(all, [](const std::string& slot) { return holds(slot, "trace=true"); });
  ASSERT_EQ(all.size(), 6U * 5 + 4U * 12) << "three arms are screened, two are confirmed";
  for (std::size_t i = 30; i < all.size(); ++i) {
    EXPECT_FALSE(holds(all[i], "--set streams=1 ")) << all[i];
  }
}

TEST_F(SideBySideTest, ACaseThatFailsIsInvalidAndTheOthersAreJudged) {
  program("a", fake_bench("1000", "2000"));
  program("b",
          fake_bench(
              "1000", "2000",
              R"(rows='{"name":"e/bad","error_occurred":true,"error_message":"wrong answer"}')"));
  const auto run = compare("--base-bin ./a --new-bin ./b");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(case_of(run, "e/v/size:8/streams:1").at("verdict"), "unchanged");
  EXPECT_TRUE(holds(run.out, "e/bad"));
}

TEST_F(SideBySideTest, WhatIsNoProgramIsToldWithItsFlag) {
  program("a", fake_bench("1000", "2000"));
  write("data", "");
  program("damaged",
          "\x7f"
          "ELF\necho this is not a shell script\n");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"--base-bin ./damaged", "./damaged: can't be started: Exec format error"},
      {"--base-bin ./nowhere", "--base-bin ./nowhere: there is no such file"},
      {"--base-bin ./a --new-bin ./data", "--new-bin ./data: is not executable"},
      {"--base-bin /tmp", "--base-bin /tmp: is a folder"},
      {"--base-bin a",
       "a: can't be started: No such file or directory on the PATH (one in this folder is ./a)"},
  };
  for (const auto& [flags, message] : wrong) {
    const auto run = compare(flags);
    EXPECT_EQ(run.exit_code, 1) << flags;
    EXPECT_TRUE(holds(run.err, message));
  }
  EXPECT_FALSE(std::filesystem::exists(path("slots")));
}

TEST_F(SideBySideTest, AnExperimentThatOneBuildRefusesIsFoundBeforeTheFirstSlot) {
  program("a", fake_bench("1000", "2000"));
  program("b",
          "#!/bin/bash\n[[ \" $* \" == *' --dry-run '* ]] && echo 'x.yaml:1:1: no such axis' >&2\n"
          "exit 1\n");
  const auto run = compare("--base-bin ./a --new-bin ./b");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "./b can't run this experiment (exit code 1); nothing was measured"));
  EXPECT_TRUE(holds(run.err, "x.yaml:1:1: no such axis"));
  EXPECT_FALSE(std::filesystem::exists(path("slots")));
}

TEST_F(SideBySideTest, AProgramWithoutAResultIsQuoted) {
  program("a", fake_bench("1000", "2000"));
  program("b",
          "#!/bin/bash\n[[ \" $* \" == *' --dry-run '* ]] && exit 0\n"
          "echo 'the device is gone' >&2\nexit 1\n");
  const auto run = compare("--base-bin ./a --new-bin ./b");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(holds(run.err, "there is no result (exit code 1): ./b"));
  EXPECT_TRUE(holds(run.err, "the device is gone"));
}

TEST_F(SideBySideTest, ABadSlotLosesNoBlockBeforeIt) {
  program("a", fake_bench("1000", "2000"));
  // The tenth slot, the second of the third block, writes half a result; screening has found the
  // case that got slower by then, but nothing confirmed it.
  const std::string bad = "[[ $run != 10 ]] || { echo '{\"context\": {' >\"$out\"; exit 0; }\n";
  program("a", fake_bench("1000", "2000", bad));
  program("b", fake_bench("1000", "2000", bad));
  const auto run = compare("--base-bin ./a --new-bin ./b --seed 7 --out r.txt --out r.xml");
  EXPECT_EQ(run.exit_code, 4) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_TRUE(holds(json.at("verdict"), "INCOMPLETE (ended early): "));
  EXPECT_TRUE(holds(json.at("failure"), "screening, block 3 of 5, ./"));
  EXPECT_EQ(json.at("interrupted"), false);
  ASSERT_EQ(json.at("cases").size(), 2U);
  EXPECT_EQ(json.at("cases")[0].at("base_units"), 2);
  EXPECT_TRUE(holds(read_file(path("r.txt")), "INCOMPLETE (ended early): "));
  EXPECT_TRUE(holds(read_file(path("r.xml")), "type=\"incomplete\""));
  EXPECT_EQ(slots().size(), 10U);
}

TEST_F(SideBySideTest, ARegressionThatWasConfirmedBeforeABadSlotStays) {
  const std::string bad = "[[ $run != 62 ]] || exit 1\n";
  program("a", fake_bench("1000", "2000", bad));
  program("b", fake_bench("1000", "2100", bad));
  const auto run = compare("--base-bin ./a --new-bin ./b --seed 7");
  EXPECT_EQ(run.exit_code, 3) << run.err;
  const auto verdict = nlohmann::json::parse(run.out).at("verdict");
  EXPECT_TRUE(holds(verdict, "INCOMPLETE (ended early), REGRESSION: 1 of 2 cases"));
}

TEST_F(SideBySideTest, AnInterruptionJudgesWhatThereIs) {
  // The ninth slot sends the signal to the comparison itself: two whole blocks are there then.
  program("a", fake_bench("1000", "2000", "[[ $run != 9 ]] || { kill -INT $PPID; sleep 60; }"));
  program("b", fake_bench("1000", "2000", "[[ $run != 9 ]] || { kill -INT $PPID; sleep 60; }"));
  const auto run = compare("--base-bin ./a --new-bin ./b --seed 7");
  EXPECT_EQ(run.exit_code, 130) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("interrupted"), true);
  EXPECT_EQ(json.at("cases").size(), 2U);
  EXPECT_TRUE(holds(json.at("verdict"), "INCOMPLETE (interrupted): "));
  EXPECT_EQ(slots().size(), 9U);
}

TEST_F(SideBySideTest, InTheFirstBlockNoCaseIsNewOrMissingYet) {
  const std::string stop = "[[ $run != 2 ]] || { kill -INT $PPID; sleep 60; }";
  program("a", fake_bench("1000", "2000", stop));
  program("b", fake_bench("1000", "2000", stop));
  const auto run = compare("--base-bin ./a --new-bin ./b --seed 7");
  EXPECT_EQ(run.exit_code, 130) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("verdict"), "INCOMPLETE (interrupted): nothing was compared");
  EXPECT_TRUE(json.at("cases").empty());
}

TEST_F(SideBySideTest, AKilledComparisonLeavesNoProgramBehind) {
  // What waits was started by the slot, as by a script around bench.
  program("a", fake_bench("1000", "2000", "sleep 300 & echo $! >slot_pid; wait"));
  const auto run = shell(
      "set -m; \"$BENCH\" compare --config ./x.yaml --base-bin ./a --new-bin ./a -q &"
      " while ! test -s slot_pid; do kill -0 $! || exit 9; sleep 0.05; done; kill -KILL $!; wait "
      "$!;"
      " for i in {1..200}; do grep -qs 'State:.[^Z]' /proc/$(<slot_pid)/status || exit 0;"
      " sleep 0.05; done; kill $(<slot_pid); exit 8");
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST_F(SideBySideTest, ALogHasFewLinesAndATerminalABar) {
  program("a", fake_bench("1000", "2000"));
  const std::string command =
      "\"$BENCH\" compare --config ./x.yaml --base-bin ./a --new-bin ./a --seed 7";
  const auto log = shell(command);
  EXPECT_TRUE(holds(log.err, "[ 1/20] screening, block 1 of 5: ./a\n"));
  EXPECT_TRUE(holds(log.err, "[20/20] screening, block 5 of 5: ./a\n"));
  EXPECT_LT(std::count(log.err.begin(), log.err.end(), '\n'), 15) << "at most one a second";
  if (shell("command -v script").exit_code != 0) GTEST_SKIP() << "there is no script(1)";
  // Which gives it a terminal.
  const auto terminal = shell("export BENCH; script -qec '" + command + "' /dev/null");
  EXPECT_TRUE(holds(terminal.out, " 20/20  0.0 s left  "));
  EXPECT_FALSE(terminal.out.find("block 1 of 5\r\n") != std::string::npos);
}

TEST_F(SideBySideTest, ALadderThatMeansNothingIsRefusedBeforeTheFirstSlot) {
  write("real.yaml",
        "schema: 1\nexperiments:\n  - workload: copy\n    axes: {size: 1000, variant: host}\n"
        "  - workload: normalize\n    axes: {size: 1000, variant: host}\n");
  std::vector<Refused> all{
      {"streems=1,2", "no experiment has the axis 'streems'"},
      {"streams=1,1", "names a value twice"},
      {"size=1000,1e3", "1000 is listed twice"},
      {"variant=host,hosst", "did you mean 'host'?"},
      {"cache=hot,cold", "'cache' is a key of measure and no axis"},
  };
  for (auto& [by, says] : all) by = "bench compare --config real.yaml -q --by " + by;
  expect_refused(all);
}

TEST_F(SideBySideTest, FlagsThatDoNotFitAreRefusedBeforeAnythingRuns) {
  program("a", fake_bench("1000", "2000"));
  expect_refused({
      {"bench compare --config x.yaml", "--base-bin FILE is missing"},
      {"bench compare --base-bin ./a", "--config FILE is missing"},
      {"bench compare a.json b.json --config x.yaml", "does not go with --config"},
      {"bench compare a.json", "one side is named"},
      {"bench compare", "nothing to compare"},
      {"bench compare --config x.yaml --by streams=1", "names no axis and two values"},
      {"bench compare --config x.yaml --by streams=1,2 --base-bin ./a", "leave out --base-bin"},
      {"bench compare a.json b.json --blocks 3", "are for runs, not for files"},
      {"bench compare --config x.yaml --base-bin ./a --sigma-session 1%", "are for files"},
      {"bench compare a.json b.json --threshold 5", "not a share between 0 and 1"},
      {"bench compare --config x.yaml --base-bin ./a --budget soon", "is not a time"},
      {"bench compare --config x.yaml --base-bin ./a --budget 10",
       "has no unit (write 10s or 10m)"},
      {"bench compare --config x.yaml --base-bin ./a --out r.pdf", "r.pdf"},
  });
  EXPECT_FALSE(std::filesystem::exists(path("slots")));
}

TEST_F(SideBySideTest, ALadderLeavesOutExperimentsThatDoNotHaveItsAxis) {
  write("real.yaml",
        "schema: 1\nmeasure: {warmup: 0ms, max_time: 10ms, min_samples: 2}\nexperiments:\n"
        "  - {workload: copy, axes: {size: 1000, variant: host}}\n"
        "  - {workload: normalize, axes: {size: 1000, variant: host}}\n");
  const auto list = shell(
      "bench --config real.yaml --having variant=grid_stride,vectorized"
      " --set variant=vectorized --benchmark_list_tests");
  EXPECT_EQ(list.out, "normalize/vectorized/size:1000\n") << list.err;
  const auto run = shell(
      "bench compare --config real.yaml --by accumulator=fp32,fp64 --backend host --blocks 3 "
      "--format json -q");
  const auto cases = nlohmann::json::parse(run.out).at("cases");
  ASSERT_EQ(cases.size(), 1U) << run.out;
  EXPECT_EQ(cases[0].at("name"), "normalize/host/size:1000 [accumulator fp32 -> fp64]");
}

TEST_F(SideBySideTest, TheProgramItselfTakesPart) {
  write("real.yaml",
        "schema: 1\nmeasure: {warmup: 0ms, max_time: 10ms, min_samples: 2}\nexperiments:\n"
        "  - workload: copy\n    axes: {size: 1000, variant: host}\n");
  const auto run =
      shell("bench compare --config real.yaml --by size=1000,4000000 --blocks 3 --format json -q");
  // Four thousand times as much to copy is slower on every machine, though three blocks on a busy
  // one may not settle it.
  EXPECT_TRUE(run.exit_code == 3 || run.exit_code == 0) << run.exit_code << run.err;
  EXPECT_GT(case_of(run, "copy/host [size 1000 -> 4000000]").at("change").get<double>(), 1);
}

}  // namespace
}  // namespace apod::test
