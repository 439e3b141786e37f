// Subcommands that read results: verdicts, exit codes, reports, and what they refuse.

#include <vector>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

const std::string brief = "max_time: 5ms, min_samples: 2";

class CompareTest : public ProgramTest {
 protected:
  CompareTest() {
    write("base.json", google("BM_a", {1000, 1001, 999, 1000}));
    write("same.json", google("BM_a", {1000, 1000, 1001, 999}));
    write("slow.json", google("BM_a", {1300, 1301, 1299, 1300}));
    write("other.json", google("BM_b", {1000, 1001, 999, 1000}));
    // Each file is a process, and of a day of its own.
    runs("base", {1000, 1001, 999, 1000.5, 1001.5});
    runs("same", {1000.2, 1000.3, 1001.2, 999.2, 999.3});
    runs("slow", {1300, 1301, 1299, 1300, 1300});
    runs("fast", {700, 701, 699, 700, 700});
  }

  void runs(const std::string& folder, const std::vector<double>& times) {
    std::filesystem::create_directory(path(folder));
    for (std::size_t i = 0; i < times.size(); ++i) {
      write(folder + "/" + std::to_string(i) + ".json",
            google("BM_a", {times[i]}, "2026-01-0" + std::to_string(i + 1) + "T02:00:00Z"));
    }
  }
};

TEST_F(CompareTest, ATimeOutOfRangeIsNamed) {
  write("far.json", R"({"context": {}, "benchmarks": [{"name": "BM_a", "run_type": "iteration",
    "iterations": 1, "real_time": 1e308, "cpu_time": 1, "time_unit": "s"}]})");
  EXPECT_TRUE(holds(shell("bench compare base.json far.json").out, "time: 1e+308 s is not a time"));
}

TEST_F(CompareTest, TheExitCodeIsTheVerdict) {
  const std::string compare = "bench compare base ";
  ends(0, compare + "same");
  ends(3, compare + "slow");
  ends(0, compare + "fast");
  ends(4, compare + "other.json");  // which lacks the base's case
  ends(1, compare + "absent.json");
}

TEST_F(CompareTest, AWordNamesTheSideThatNoFlagNames) {
  ends(3, "bench compare --base base slow");
  ends(3, "bench compare base --new slow");
  EXPECT_TRUE(holds(fails("bench compare --base base slow fast").err, "unexpected argument: fast",
                    "name a folder"));
  EXPECT_TRUE(holds(fails("bench compare slow").err, "NEW is missing: there is only 'slow'"));
}

TEST_F(CompareTest, ASuspectIsNoSuccess) {
  write("twice.json", google("BM_a", {2000, 2001, 1999, 2000}));
  const auto run = ends(4, "bench compare base.json twice.json");
  EXPECT_TRUE(holds(run.out, "SUSPECT: 1 of 1 case is beyond its noise (farthest +100.0 % in BM_a)",
                    "run both programs side by side"));
  ends(0, "bench compare base.json twice.json --fail-on regression");
  ends(3, "bench compare base slow --fail-on regression");
}

TEST_F(CompareTest, NothingStandsApartIsAnAnswer) {
  const auto run = ends(0, "bench compare base.json slow.json");
  EXPECT_TRUE(holds(run.out, "NO CLEAR CHANGE in 1 case",
                    "smallest change that would exceed the noise: +37.7 % or -27.4 %"));
  ends(0, "bench compare base.json slow.json --fail-on inconclusive");
}

TEST_F(CompareTest, AThresholdThatIsAskedForIsHeld) {
  const std::string compare = "bench compare base.json slow.json --threshold 1% ";
  EXPECT_TRUE(holds(ends(4, compare).out, "INCONCLUSIVE: no result for 1 case"));
  ends(5, compare + "--fail-on inconclusive --out red.xml");
  EXPECT_TRUE(lacks(read("red.xml"), "failures=\"0\""));
  ends(0, compare + "--fail-on regression --out green.xml");
  EXPECT_TRUE(holds(read("green.xml"), "failures=\"0\" errors=\"0\""));
}

TEST_F(CompareTest, TheVerdictComesFirstInEveryReport) {
  const auto run = ends(3, "bench compare base slow -o r.md -o r.txt -o r.json -o r.xml");
  EXPECT_EQ(run.out.rfind("REGRESSION", 0), 0U) << run.out;
  EXPECT_TRUE(holds(read("r.md").substr(0, 200), "REGRESSION"));
  EXPECT_EQ(read("r.txt").rfind("REGRESSION", 0), 0U);
  const auto report = json("r.json");
  EXPECT_EQ(report["cases"][0]["verdict"], "regression");
  EXPECT_NEAR(report["cases"][0]["change"].get<double>(), 0.3, 0.01);
  EXPECT_TRUE(holds(read("r.xml"), "<failure"));
}

TEST_F(CompareTest, ATableIsTheSameWhenItIsShownAgain) {
  const auto run = ends(3, "bench compare base slow -o r.json -o r.csv --format csv");
  EXPECT_TRUE(holds(run.out, "\nBM_a,regression,"));
  EXPECT_EQ(read("r.csv"), run.out);
  const auto show = shell("bench show r.json --format csv");
  EXPECT_EQ(show.out, run.out) << show.err;
}

TEST_F(CompareTest, SaysWhatTellsTheNoise) {
  EXPECT_TRUE(holds(shell("bench compare base.json same.json").out,
                    "noise: from the usual difference between two runs of one program"));
  EXPECT_TRUE(holds(shell("bench compare base same --format json").out,
                    "noise: from how each case varies between the nights of the base"));
}

TEST_F(CompareTest, FoldersAreSessions) {
  for (const char* side : {"old", "new"}) {
    std::filesystem::create_directory(path(side));
    for (const char* session : {"1", "2", "3"}) {
      write(std::string(side) + "/" + session + ".json",
            google("BM_a", {1000, 1001, side[0] == 'o' ? 999.0 : 999.01},
                   std::string("2026-01-0") + session));
    }
  }
  const auto run = passes("bench compare --base old --new new --format json");
  EXPECT_EQ(Json::parse(run.out)["cases"][0]["verdict"], "within noise");
}

TEST_F(CompareTest, GitHubGetsASummaryAndAnnotations) {
  write("summary.md", "before\n");
  EXPECT_TRUE(holds(
      ends(3, "GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary.md bench compare base slow").out,
      "::error"));
  const auto summary = read("summary.md");
  EXPECT_EQ(summary.rfind("before\n", 0), 0U) << "it is appended";
  EXPECT_TRUE(holds(summary, "REGRESSION"));
  passes("mkfifo pipe");
  EXPECT_TRUE(holds(ends(3, "GITHUB_STEP_SUMMARY=pipe bench compare base slow").err,
                    "could not be written", "it is a pipe"));
}

TEST_F(CompareTest, BadFilesAreNamedAndNothingIsJudged) {
  const std::pair<std::string, std::string> bad[] = {
      {"empty.json", ""},
      {"truncated.json", google("BM_a", {1000}).substr(0, 60)},
      {"array.json", "[1, 2]"},
      {"deep.json", std::string(100'000, '[')},
      {"none.json", R"({"context": {}, "benchmarks": []})"},
      {"text.json", R"({"context": {}, "benchmarks": [{"name": "x", "skipped": "no"}]})"}};
  for (const auto& [name, text] : bad) {
    write(name, text);
    expect_refused({{"base.json " + name, name}, {name + " base.json", name}}, "bench compare ");
  }
}

TEST_F(CompareTest, ATimeThatIsNoneMakesItsCaseInvalid) {
  write("negative.json", google("BM_a", {-5}));
  const auto run = ends(4, "bench compare negative.json base.json");
  EXPECT_TRUE(holds(run.out, "failed in the base: time: -5 ns is not a time")) << run.out;
  EXPECT_TRUE(holds(run.out, "the base has no process")) << run.out;
  write("nan.json", R"({"context": {}, "benchmarks": [{"name": "x", "real_time": NaN}]})");
  EXPECT_TRUE(holds(ends(4, "bench compare base.json nan.json").out,
                    "failed: its time is not a finite number"));
  EXPECT_TRUE(holds(ends(4, "bench compare nan.json base.json").out,
                    "failed in the base: its time is not a finite number"));
}

TEST_F(CompareTest, AnnotationsLeaveMachineFormatsAlone) {
  const auto run = shell("GITHUB_ACTIONS=true bench compare base slow --format json");
  EXPECT_TRUE(Json::accept(run.out)) << run.out;
  EXPECT_TRUE(holds(run.err, "::error"));
}

TEST_F(CompareTest, ExportsToEveryFormat) {
  for (const char* format : {"google", "bmf", "smaller_is_better", "go"}) {
    EXPECT_TRUE(holds(passes(std::string("bench export base.json --to ") + format).out, "BM_a"));
  }
  passes("bench export base.json --to google -o e.json");
  passes("bench compare base.json e.json");  // it reads its own export
  fails("bench export absent.json --to go");
}

TEST_F(CompareTest, HistoryShowsTheTrend) {
  EXPECT_TRUE(holds(passes("bench history base.json slow.json --filter BM_a --format csv").out,
                    "BM_a", "slow.json"));
  fails("bench history base.json --filter nothing");
  fails("bench history absent.json");
}

TEST_F(CompareTest, CalibratesAndComparesWithIt) {
  write("x.yaml", copies("[1000, 2000]", brief));
  EXPECT_TRUE(holds(passes("bench calibrate --config ./x.yaml --sessions 2 --processes 2 --pause "
                           "1ms -q --backend host"
                           " --out c.json")
                        .out,
                    "2 sessions of 2 processes, 2 cases", "Wrote c.json"));
  passes("bench --config ./x.yaml --backend host -q --out r.json");
  EXPECT_TRUE(holds(
      shell("(cat r.json; echo) >s.json; bench compare r.json s.json --calibration c.json").out,
      "c.json"));
  // Found from the working folder upward, and not beside the files: who sent them may have put it
  // there.
  passes(
      "mkdir -p p/results/calibrations p/runs; cp c.json p/results/calibrations;"
      " cp r.json s.json p/runs");
  EXPECT_TRUE(
      holds(shell("cd p/runs && bench compare r.json s.json").out, "results/calibrations/c.json"));
  EXPECT_TRUE(lacks(shell("bench compare p/runs/r.json p/runs/s.json").out, "calibrations/c.json"));
  // Not where others can put one.
  const auto open =
      shell("chmod o+w p/results/calibrations; cd p && bench compare runs/r.json runs/s.json");
  EXPECT_TRUE(lacks(open.out, "calibrations/c.json"));
  EXPECT_TRUE(holds(open.out, "calibrations were ignored: other users can write to "));
  EXPECT_TRUE(holds(fails("bench compare base.json same.json --calibration c.json").err, "c.json"));
  fails("bench calibrate --config absent.yaml --sessions 2 --pause 1ms");
}

TEST_F(CompareTest, ACalibrationThatNobodyNamesHasANameOfItsOwn) {
  std::filesystem::create_directory(path("results"));
  const auto run = passes("bench calibrate base");
  EXPECT_TRUE(holds(run.out + run.err, "results/calibrations/"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("results/calibrations")), {}),
            1);
}

TEST_F(CompareTest, AThresholdThatGivesWayToTheBasesOwnIsNamed) {
  write("x.yaml", copies("[1000]", brief + ", processes: 3, threshold: 50%"));
  for (const char* side : {"a", "b"}) {
    passes(std::string("bench --config ./x.yaml -q --backend host -o ") + side + ".json");
  }
  EXPECT_TRUE(
      holds(shell("bench compare a.json b.json --threshold 2%").out,
            "does not matter): 50 %; the threshold in the base's file overrides --threshold 2 %"));
  EXPECT_FALSE(holds(shell("bench compare a.json b.json").out, "comes before --threshold"));
  EXPECT_TRUE(holds(fails("bench compare a.json b.json --threshold 0.02").err,
                    "--threshold: '0.02' is not between 0% and 100%"));
}

TEST_F(CompareTest, AFolderNamedTwiceIsRefused) {
  EXPECT_TRUE(holds(fails("bench history base base").err, "named twice"));
}

TEST_F(CompareTest, ACalibrationIsJson) {
  EXPECT_TRUE(holds(fails("bench calibrate base.json same.json --out spread.csv").err,
                    "spread.csv: a calibration is a JSON file"));
}

TEST_F(CompareTest, ACalibrationIsShownAgainAsItWas) {
  write("x.yaml", copies("1000", brief));
  const auto run = shell(
      "bench calibrate --config ./x.yaml --sessions 2 --processes 2 --pause 0s -q --backend host"
      " --threshold 0.01% --out c.json");
  EXPECT_TRUE(holds(run.out, "can't show a change of 0.01 %"));
  EXPECT_EQ(shell("bench show c.json").out + "Wrote c.json\n", run.out);
}

TEST_F(CompareTest, TheSameFileOnBothSidesIsRefused) {
  std::filesystem::create_hard_link(path("base.json"), path("link.json"));
  std::filesystem::copy_file(path("base.json"), path("copy.json"));
  for (const char* other : {"base.json", "./base.json", "link.json", "copy.json"}) {
    EXPECT_TRUE(holds(fails(std::string("bench compare base.json ") + other).err,
                      "on both sides: name each file on one side only", "bench calibrate"));
  }
}

TEST_F(CompareTest, ANightIsComparedWithTheFolderItLiesIn) {
  for (const char* sides : {"--base base base/4.json", "--base base/4.json base"}) {
    EXPECT_TRUE(holds(shell(std::string("bench compare ") + sides).out,
                      "base/4.json: left out, it is also on the other side"))
        << sides;
  }
  EXPECT_TRUE(
      holds(fails("bench compare --base base --new base").err, "on both sides", "4 other files"));
}

TEST_F(CompareTest, AFileThatDidNotChangeLeavesTheOthersOfItsFolderToCompare) {
  for (const char* folder : {"before", "after"}) {
    std::filesystem::create_directory(path(folder));
    std::filesystem::copy_file(path("other.json"), path(std::string(folder) + "/b.json"));
  }
  std::filesystem::copy_file(path("base.json"), path("before/a.json"));
  std::filesystem::copy_file(path("slow.json"), path("after/a.json"));
  const auto run = shell("bench compare --base before --new after");
  EXPECT_TRUE(holds(run.out, "BM_a", "after/b.json: left out, it is also on the other side"));
  EXPECT_FALSE(holds(run.out, "missing"));
}

TEST_F(CompareTest, TwoCopiesOfAFolderOfCriterionAreOneRun) {
  for (const char* folder : {"x/criterion/sum/new", "y/criterion/sum/new"}) {
    std::filesystem::create_directories(path(folder));
    write(std::string(folder) + "/estimates.json",
          R"({"mean":{"point_estimate":9},"median":{"point_estimate":9}})");
    write(std::string(folder) + "/benchmark.json", R"({"full_id":"sum","directory_name":"sum"})");
  }
  EXPECT_TRUE(
      holds(fails("bench compare x/criterion y/criterion").err, "are copies of the same run"));
}

TEST_F(CompareTest, AFilterWithoutAMatchIsAMistakeWithAHint) {
  expect_refused({{"compare base.json same.json --filter BM_b", "did you mean 'BM_a'?"},
                  {"history base.json same.json --filter BM_b", "did you mean 'BM_a'?"}},
                 "bench ");
}

TEST_F(CompareTest, AFileOfAnotherKindIsCalledWhatItIs) {
  const std::vector<std::pair<std::string, std::string>> others{
      {R"({"apod_calibration": 1, "cases": []})",
       "it is a calibration of bench calibrate, not a result: leave it out (bench compare finds "
       "the file itself)"},
      {R"({"kind": "comparison", "schema": 1, "counts": {}})",
       "it is a report of bench compare, not a result: name the two results that were compared"},
      {R"({"name": "x", "version": "1", "dependencies": {"a": "1"}})", "package.json"},
      {R"({"$schema": "s", "version": "2.1.0", "runs": [{"tool": {}}]})", "SARIF"},
      {R"({"hello": 1})",
       "it is JSON, but in an unknown format (docs/formats.md lists the formats)"},
  };
  for (const auto& [text, message] : others) {
    write("x.json", text);
    const auto run = fails("bench compare base.json x.json");
    EXPECT_TRUE(holds(run.err, message));
    if (!message.starts_with("it is a ") && !message.starts_with("it is JSON")) {
      EXPECT_TRUE(holds(run.err, "to make a result: bench X.yaml --out FILE.json"));
    }
  }
}

TEST_F(CompareTest, AReportThatFailsCostsNeitherTheVerdictNorTheOthers) {
  std::filesystem::create_symlink("/dev/full", path("full.json"));
  const auto run = fails("bench compare base slow -o full.json -o r.txt");
  EXPECT_EQ(run.out.rfind("REGRESSION", 0), 0U) << run.out;
  EXPECT_TRUE(holds(run.err, "full.json"));
  EXPECT_TRUE(holds(read("r.txt"), "REGRESSION"));
  fails("bench compare base.json same.json >&-");
}

TEST_F(CompareTest, ACalibrationThatLosesSessionsIsPartial) {
  for (const auto& [end, exit_code] : {std::pair{"kill -INT $!", 130}, {"rm x.yaml", 1}}) {
    write("x.yaml", copies("1000", brief));
    write("c.json.partial", "precious");
    write("err", "");
    EXPECT_TRUE(holds(ends(exit_code,
                           "set -m; \"$BENCH\" calibrate --config ./x.yaml --sessions 1000 "
                           "--processes 2 --pause 0s "
                           "--backend host --out c.json 2>err & while ! grep -qE 'session "
                           "([3-9]|[1-9][0-9])' err; do "
                           "kill -0 $! || exit 9; sleep 0.02; done; " +
                               std::string(end) + "; wait $!")
                          .out,
                      "of 1000 sessions\n", "Wrote c.json.partial (for use with --calibration)"));
    EXPECT_FALSE(exists("c.json"));
    EXPECT_EQ(read("c.json.partial.old"), "precious");
    EXPECT_TRUE(std::filesystem::remove(path("c.json.partial")));
    EXPECT_TRUE(std::filesystem::remove(path("c.json.partial.old")));
  }
}

TEST_F(CompareTest, TwoCalibrationsOfOneFileNeedTwoNames) {
  write("x.yaml", copies("1000", brief));
  const std::string calibrate =
      "\"$BENCH\" calibrate --config ./x.yaml --sessions 1000 --processes 2 --pause 0s --backend "
      "host ";
  const auto second = shell("set -m; " + calibrate +
                            "2>err & while ! grep -q 'session 1' err; do kill -0 $! || exit 9; "
                            "sleep 0.02; done; timeout 60 " +
                            calibrate + "-q; code=$?; kill -INT $!; wait $!; exit $code");
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_TRUE(holds(second.err, "in use by another run"));
}

TEST_F(CompareTest, TheNewestCalibrationCountsByItsInstant) {
  const auto calibration = [](const std::string& date) {
    return R"({"apod_calibration": 2, "config": "", "commit": "", "sessions": 5, "processes": 5,
      "alpha": 0.01, "environment": {}, "cases": [{"name": "BM_a", "version": "", "time_s": 1,
      "sample": 0, "process": 0, "session": 0.01, "session_mean": 0.01, "floor": 0.05}],
      "date": ")" +
           date + "\"}";
  };
  shell("mkdir -p results/calibrations");
  write("results/calibrations/late.json", calibration("2026-05-17T08:00:00-05:00"));
  write("results/calibrations/early.json", calibration("2026-05-17T10:00:00+00:00"));
  write("results/calibrations/undated.json", calibration(""));
  EXPECT_TRUE(holds(shell("bench compare base.json same.json").out, "late.json"));
}

TEST_F(CompareTest, OfTwoSidesThatCantBeReadTheBaseIsNamed) {
  const std::string damaged = R"({"context":{},"benchmarks":[{"name":"BM_a","real_time":x}]})";
  write("one.json", damaged);
  write("two.json", damaged + "\n");
  for (const std::string base : {"one.json", "two.json"}) {
    const std::string other = base == "one.json" ? "two.json" : "one.json";
    const auto run = fails("bench compare " + base + " " + other);
    EXPECT_TRUE(holds(run.err, base));
    EXPECT_TRUE(lacks(run.err, other));
  }
}

}  // namespace
}  // namespace apod::test
