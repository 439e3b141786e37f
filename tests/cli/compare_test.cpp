// Subcommands that read results: verdicts, exit codes, reports, and what they refuse.

#include <nlohmann/json.hpp>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace apod::test {
namespace {

/// A file of Google Benchmark's with one case, `name`, of these times (ns).
std::string google(const std::string& name, const std::vector<double>& times) {
  nlohmann::json json{{"context", {{"host_name", "h"}}}, {"benchmarks", nlohmann::json::array()}};
  for (const double ns : times) {
    json["benchmarks"].push_back({{"name", name},
                                  {"run_type", "iteration"},
                                  {"iterations", 1},
                                  {"real_time", ns},
                                  {"cpu_time", ns},
                                  {"time_unit", "ns"}});
  }
  return json.dump();
}

class CompareTest : public ProgramTest {
 protected:
  CompareTest() {
    write("base.json", google("BM_a", {1000, 1001, 999, 1000}));
    write("same.json", google("BM_a", {1000, 1000, 1001, 999}));
    write("slow.json", google("BM_a", {1300, 1301, 1299, 1300}));
    write("fast.json", google("BM_a", {700, 701, 699, 700}));
    write("other.json", google("BM_b", {1000, 1001, 999, 1000}));
  }
};

TEST_F(CompareTest, TheExitCodeIsTheVerdict) {
  const auto with = [&](const std::string& arguments) {
    return shell("bench compare " + arguments).exit_code;
  };
  EXPECT_EQ(with("base.json same.json"), 0);
  EXPECT_EQ(with("base.json slow.json"), 3);
  EXPECT_EQ(with("base.json fast.json"), 0) << "an improvement is no failure";
  EXPECT_EQ(with("base.json other.json"), 4) << "a case of the base is missing";
  EXPECT_EQ(with("base.json same.json --fail-on inconclusive"), 5);
  EXPECT_EQ(with("base.json same.json --fail-on inconclusive --sigma-session 0.01%"), 0);
  EXPECT_EQ(with("base.json absent.json"), 1);
}

TEST_F(CompareTest, TheVerdictComesFirstInEveryReport) {
  const auto run = shell("bench compare base.json slow.json -o r.md -o r.txt -o r.json -o r.xml");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.out.rfind("REGRESSION", 0), 0U) << run.out;
  EXPECT_TRUE(holds(read_file(path("r.md")).substr(0, 200), "REGRESSION"));
  EXPECT_EQ(read_file(path("r.txt")).rfind("REGRESSION", 0), 0U);
  const auto json = nlohmann::json::parse(read_file(path("r.json")));
  EXPECT_EQ(json["cases"][0]["verdict"], "regression");
  EXPECT_NEAR(json["cases"][0]["change"].get<double>(), 0.3, 0.01);
  EXPECT_TRUE(holds(read_file(path("r.xml")), "<failure"));
}

TEST_F(CompareTest, ATableIsTheSameWhenItIsShownAgain) {
  const auto run = shell("bench compare base.json slow.json -o r.json -o r.csv --format csv");
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_TRUE(holds(run.out, "\nBM_a,regression,"));
  EXPECT_EQ(read_file(path("r.csv")), run.out);
  const auto show = shell("bench show r.json --format csv");
  EXPECT_EQ(show.out, run.out) << show.err;
}

TEST_F(CompareTest, WithoutACalibrationItSaysWhatIsAssumed) {
  EXPECT_TRUE(holds(shell("bench compare base.json same.json").out, "a spread of 2 %"));
  EXPECT_TRUE(holds(shell("bench compare base.json same.json --format json").out,
                    "a spread of 2 % between sessions is assumed"));
  EXPECT_FALSE(
      holds(shell("bench compare base.json same.json --sigma-session 1%").out, "is assumed"));
}

TEST_F(CompareTest, FoldersAreSessions) {
  for (const char* side : {"old", "new"}) {
    std::filesystem::create_directory(path(side));
    for (const char* session : {"1", "2", "3"}) {
      write(std::string(side) + "/" + session + ".json",
            google("BM_a", {1000, 1001, side[0] == 'o' ? 999.0 : 999.01}));
    }
  }
  const auto run = shell("bench compare --base old --new new --format json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["cases"][0]["verdict"], "unchanged");
}

TEST_F(CompareTest, GitHubGetsASummaryAndAnnotations) {
  write("summary.md", "before\n");
  const auto run =
      shell("GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary.md bench compare base.json slow.json");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(holds(run.out, "::error"));
  const auto summary = read_file(path("summary.md"));
  EXPECT_EQ(summary.rfind("before\n", 0), 0U) << "it is appended";
  EXPECT_TRUE(holds(summary, "REGRESSION"));
}

TEST_F(CompareTest, BadFilesAreNamedAndNothingIsJudged) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"empty", ""},
      {"truncated", google("BM_a", {1000}).substr(0, 60)},
      {"array", "[1, 2]"},
      {"negative", google("BM_a", {-5})},
      {"deep", std::string(100'000, '[')},
      {"none", R"({"context": {}, "benchmarks": []})"},
      {"text", R"({"context": {}, "benchmarks": [{"name": "x", "real_time": "fast"}]})"},
  };
  for (const auto& [name, text] : bad) {
    write(name + ".json", text);
    for (const auto& sides : {"base.json " + name + ".json", name + ".json base.json"}) {
      const auto run = shell("bench compare " + sides);
      EXPECT_EQ(run.exit_code, 1) << sides;
      EXPECT_TRUE(holds(run.err, name + ".json")) << sides;
      EXPECT_EQ(run.out, "") << sides;
    }
  }
}

TEST_F(CompareTest, AnnotationsLeaveMachineFormatsAlone) {
  const auto run = shell("GITHUB_ACTIONS=true bench compare base.json slow.json --format json");
  EXPECT_TRUE(nlohmann::json::accept(run.out)) << run.out;
  EXPECT_TRUE(holds(run.err, "::error"));
}

TEST_F(CompareTest, ExportsToEveryFormat) {
  for (const char* format : {"google", "bmf", "smaller_is_better", "go"}) {
    const auto run = shell(std::string("bench export base.json --to ") + format);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(holds(run.out, "BM_a")) << format;
  }
  EXPECT_EQ(shell("bench export base.json --to google -o e.json").exit_code, 0);
  EXPECT_EQ(shell("bench compare base.json e.json").exit_code, 0) << "it reads its own export";
  EXPECT_EQ(shell("bench export absent.json --to go").exit_code, 1);
}

TEST_F(CompareTest, HistoryShowsTheTrend) {
  const auto run = shell("bench history base.json slow.json --case BM_a --format csv");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "BM_a"));
  EXPECT_TRUE(holds(run.out, "slow.json"));
  EXPECT_EQ(shell("bench history base.json --case nothing").exit_code, 1);
  EXPECT_EQ(shell("bench history absent.json").exit_code, 1);
}

TEST_F(CompareTest, CalibratesAndComparesWithIt) {
  write("x.yaml",
        "schema: 1\nname: x\nmeasure: {warmup: 0ms, max_time: 5ms, min_samples: 2}\nexperiments:\n"
        "  - {workload: copy, axes: {variant: host, size: [1000, 2000]}}\n");
  const auto run = shell(
      "bench calibrate --config ./x.yaml --sessions 2 --processes 2 --pause 1ms -q --backend host"
      " --out c.json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "2 sessions of 2 processes, 2 cases"));
  EXPECT_TRUE(holds(run.out, "Wrote c.json"));
  EXPECT_EQ(shell("bench --config ./x.yaml --backend host -q --out r.json").exit_code, 0);
  EXPECT_TRUE(holds(
      shell("(cat r.json; echo) >s.json; bench compare r.json s.json --calibration c.json").out,
      "c.json"));
  // Found beside the files that are compared, wherever they are compared.
  EXPECT_EQ(shell("mkdir -p p/results/calibrations p/runs; cp c.json p/results/calibrations;"
                  " cp r.json s.json p/runs")
                .exit_code,
            0);
  EXPECT_TRUE(holds(shell("bench compare p/runs/r.json p/runs/s.json").out,
                    "p/results/calibrations/c.json"));
  // Not where others can put one.
  const auto open =
      shell("chmod o+w p/results/calibrations; bench compare p/runs/r.json p/runs/s.json");
  EXPECT_FALSE(holds(open.out, "calibrations/c.json"));
  EXPECT_TRUE(holds(open.out, "calibrations were ignored: others can write to "));
  const auto both = shell("bench compare r.json s.json --calibration c.json --sigma-session 5%");
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_TRUE(holds(both.err, "--sigma-session"));
  const auto misfit = shell("bench compare base.json same.json --calibration c.json");
  EXPECT_EQ(misfit.exit_code, 1);
  EXPECT_TRUE(holds(misfit.err, "c.json"));
  EXPECT_EQ(shell("bench calibrate --config absent.yaml --sessions 2 --pause 1ms").exit_code, 1);
}

TEST_F(CompareTest, ACalibrationIsShownAgainAsItWas) {
  write("x.yaml",
        "schema: 1\nname: x\nmeasure: {warmup: 0ms, max_time: 5ms, min_samples: 2}\nexperiments:\n"
        "  - {workload: copy, axes: {variant: host, size: 1000}}\n");
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
    const auto run = shell(std::string("bench compare base.json ") + other);
    EXPECT_EQ(run.exit_code, 1) << other;
    EXPECT_TRUE(holds(run.err, "on both sides: it can't differ from itself"));
    EXPECT_TRUE(holds(run.err, "bench calibrate"));
  }
}

TEST_F(CompareTest, NoSpreadAtAllIsAnAnswer) {
  const auto run = shell("bench compare base.json same.json --sigma-session 0");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "spread between sessions: 0 % (--sigma-session)"));
}

TEST_F(CompareTest, AFilterWithoutAMatchIsAMistakeWithAHint) {
  for (const char* command : {"bench compare base.json same.json --filter BM_b",
                              "bench history base.json same.json --case BM_b"}) {
    const auto run = shell(command);
    EXPECT_EQ(run.exit_code, 1) << command;
    EXPECT_TRUE(holds(run.err, "did you mean 'BM_a'?"));
  }
}

TEST_F(CompareTest, AFileOfAnotherKindIsCalledWhatItIs) {
  const std::vector<std::pair<std::string, std::string>> others{
      {R"({"apod_calibration": 1, "cases": []})",
       "it is a calibration of bench calibrate, not a result: compare finds it by itself"},
      {R"({"kind": "comparison", "schema": 1, "counts": {}})",
       "it is a report of bench compare, not a result: name the two results that it compares"},
      {R"({"name": "x", "version": "1", "dependencies": {"a": "1"}})", "package.json"},
      {R"({"$schema": "s", "version": "2.1.0", "runs": [{"tool": {}}]})", "SARIF"},
      {R"({"hello": 1})", "no result of this program"},
  };
  for (const auto& [text, message] : others) {
    write("x.json", text);
    const auto run = shell("bench compare base.json x.json");
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_TRUE(holds(run.err, message));
    if (!message.starts_with("it is a ")) {
      EXPECT_TRUE(holds(run.err, "--out FILE.json makes one"));
    }
  }
}

TEST_F(CompareTest, AReportThatFailsCostsNeitherTheVerdictNorTheOthers) {
  std::filesystem::create_symlink("/dev/full", path("full.json"));
  const auto run = shell("bench compare base.json slow.json -o full.json -o r.txt");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out.rfind("REGRESSION", 0), 0U) << run.out;
  EXPECT_TRUE(holds(run.err, "full.json"));
  EXPECT_TRUE(holds(read_file(path("r.txt")), "REGRESSION"));
  EXPECT_EQ(shell("bench compare base.json same.json >&-").exit_code, 1);
}

TEST_F(CompareTest, ACalibrationThatLosesSessionsIsPartial) {
  const std::string experiment =
      "schema: 1\nname: x\nmeasure: {warmup: 0ms, max_time: 5ms, min_samples: 2}\nexperiments:\n"
      "  - {workload: copy, axes: {variant: host, size: 1000}}\n";
  const std::vector<std::pair<std::string, int>> ends{{"kill -INT $!", 130}, {"rm x.yaml", 1}};
  for (const auto& [end, exit_code] : ends) {
    write("x.yaml", experiment);
    write("err", "");
    const auto run = shell(
        "set -m; \"$BENCH\" calibrate --config ./x.yaml --sessions 1000 --processes 2 --pause 0s "
        "--backend host --out c.json 2>err & while ! grep -qE 'session ([3-9]|[1-9][0-9])' err; do "
        "kill -0 $! || "
        "exit "
        "9; sleep 0.02; done; " +
        end + "; wait $!");
    EXPECT_EQ(run.exit_code, exit_code) << end;
    EXPECT_TRUE(holds(run.out, "of 1000 sessions\n"));
    EXPECT_TRUE(holds(run.out, "Wrote c.json.partial (used only with --calibration)"));
    EXPECT_FALSE(std::filesystem::exists(path("c.json")));
    EXPECT_TRUE(std::filesystem::remove(path("c.json.partial")));
  }
}

TEST_F(CompareTest, TheNewestCalibrationCountsByItsInstant) {
  const auto calibration = [](const std::string& date) {
    return nlohmann::json{{"apod_calibration", 2},
                          {"date", date},
                          {"config", ""},
                          {"commit", ""},
                          {"sessions", 5},
                          {"processes", 5},
                          {"alpha", 0.01},
                          {"environment", nlohmann::json::object()},
                          {"cases",
                           {{{"name", "BM_a"},
                             {"version", ""},
                             {"time_s", 1},
                             {"sample", 0},
                             {"process", 0},
                             {"session", 0.01},
                             {"session_mean", 0.01},
                             {"floor", 0.05}}}}}
        .dump();
  };
  shell("mkdir -p results/calibrations");
  write("results/calibrations/late.json", calibration("2026-05-17T08:00:00-05:00"));
  write("results/calibrations/early.json", calibration("2026-05-17T10:00:00+00:00"));
  write("results/calibrations/undated.json", calibration(""));
  const auto run = shell("bench compare base.json same.json");
  EXPECT_TRUE(holds(run.out, "late.json")) << run.out << run.err;
}

TEST_F(CompareTest, OfTwoSidesThatCantBeReadTheBaseIsNamed) {
  const std::string damaged = R"({"context":{},"benchmarks":[{"name":"BM_a","real_time":x}]})";
  write("one.json", damaged);
  write("two.json", damaged + "\n");
  for (const std::string base : {"one.json", "two.json"}) {
    const std::string other = base == "one.json" ? "two.json" : "one.json";
    const auto run = shell("bench compare " + base + " " + other);
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_TRUE(holds(run.err, base)) << run.err;
    EXPECT_FALSE(holds(run.err, other)) << run.err;
  }
}

}  // namespace
}  // namespace apod::test
