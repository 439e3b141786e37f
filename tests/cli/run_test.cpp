// The run itself: its result, and failures that cost one case.

#include <string>
#include <vector>

#include "tests/cli/faults_test.hpp"

namespace apod::test {
namespace {

using RunTest = FaultsTest;

TEST_F(RunTest, FewerSamplesThanTheLeastAreNoted) {
  write("a.yaml", copies("[1000]", "max_time: 2ms, min_samples: 10000, processes: 1"));
  passes("bench --config ./a.yaml -q --backend host -o r.json");
  EXPECT_TRUE(holds(read("r.json"), "stopped at max_time before min_samples was reached"));
}

TEST_F(RunTest, WritesAValidResultBesideTheTable) {
  EXPECT_TRUE(holds(passes("faulty --config a.yaml").out, "1 measured", "Wrote faults.json"));
  ASSERT_EQ(rows().size(), 1U);
  EXPECT_EQ(rows()[0]["name"], "faults/fine/size:64");
  EXPECT_GT(rows()[0]["real_time"], 0);
  EXPECT_FALSE(exists("faults.json.journal"));
}

TEST_F(RunTest, OneRowAProcess) {
  write("a.yaml", faults("fine", "processes: 3"));
  passes("faulty --config a.yaml");
  EXPECT_EQ(rows().size(), 3U);
  passes("faulty --config a.yaml --processes 2");
  EXPECT_EQ(rows().size(), 2U);
}

/// Every fault costs its own case and says what happened and where; the others are measured.
struct Fault {
  const char* variant;
  const char* stage;
  const char* reason;
};
void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.variant;
}
class FaultTest : public RunTest, public ::testing::WithParamInterface<Fault> {};
TEST_P(FaultTest, CostsOneCase) {
  const auto& fault = GetParam();
  write("a.yaml", faults(std::string("fine, ") + fault.variant + ", slow", "processes: 2"));
  // Under AddressSanitizer a crash stays the signal that it is elsewhere.
  EXPECT_TRUE(holds(fails("ASAN_OPTIONS=handle_segv=0 faulty --config a.yaml").out, fault.reason,
                    "2 measured"));
  const auto file = json("faults.json");
  EXPECT_EQ(file["benchmarks"].size(), 4U) << "two cases in two processes";
  ASSERT_EQ(file["apod_failed"].size(), 1U);
  EXPECT_EQ(file["apod_failed"][0]["stage"], fault.stage);
  for (const auto& row : file["benchmarks"]) {
    EXPECT_TRUE(lacks(row["name"].get<std::string>(), fault.variant)) << "it publishes no time";
  }
}
INSTANTIATE_TEST_SUITE_P(
    Faults, FaultTest,
    ::testing::Values(Fault{"wrong", "verify", "wrong answer: not what"},
                      Fault{"wrong_later", "verify", "wrong answer after the timed runs: not what"},
                      Fault{"silent_later", "verify",
                            "wrong answer after the timed runs: not what"},
                      Fault{"crash", "verify", "signal 11"},
                      Fault{"abort", "verify", "the last that was heard of it"},
                      Fault{"exit", "verify", "exit code 7"},
                      Fault{"exit_well", "verify", "exit code 0 before it sent a result"},
                      Fault{"throws", "verify", "thrown by the variant"},
                      Fault{"throws_on_stream", "verify", "thrown on the stream"},
                      Fault{"memory", "setup", "memory"}),
    [](const auto& fault) { return fault.param.variant; });

TEST_F(RunTest, ACalibrationOfCasesThatFailSaysThatThereIsNothing) {
  write("x.yaml", faults("throws"));
  EXPECT_TRUE(holds(
      ends(
          4,
          "faulty calibrate --config ./x.yaml --sessions 2 --processes 2 --pause 0s --backend host "
          "--out c.json")
          .err,
      "no case has the same number of processes"));
  EXPECT_FALSE(exists("c.json"));
}

TEST_F(RunTest, HangEndsAtItsTimeout) {
  // The limit is the hanging case's own: a busy machine may take a second for what is fine.
  write("a.yaml", faults("fine") +
                      "  - name: hanging\n    workload: faults\n    measure: {timeout: 1s}\n"
                      "    axes: {variant: hang, size: 64}\n");
  EXPECT_TRUE(holds(fails("faulty --config a.yaml").out, "did not end within 1 s", "1 measured"));
}

TEST_F(RunTest, AnAddressThatIsTakenIsTriedInANewProcess) {
  write("a.yaml", faults("address_taken"));
  passes("faulty --config a.yaml");
  EXPECT_EQ(read("processes"), "...");
}

TEST_F(RunTest, TheTimeoutOfTheCommandLineWins) {
  write("a.yaml", faults("hang", "timeout: 1000s"));
  EXPECT_TRUE(holds(fails("faulty --config a.yaml --processes 1 --timeout 250ms").out,
                    "did not end within 0.25 s"))
      << "as it was asked";
}

TEST_F(RunTest, WhatAKernelPrintsStaysOutOfStandardOutput) {
  write("a.yaml", faults("chatter"));
  const auto run = passes("faulty --config a.yaml --benchmark_format=json -q");
  EXPECT_EQ(Json::parse(run.out)["benchmarks"].size(), 1U);
}

TEST_F(RunTest, InProcessSurvivesWhatIsNoCrash) {
  write("a.yaml", faults("throws, fine, wrong"));
  EXPECT_TRUE(holds(fails("faulty --config a.yaml --in-process").out, "1 measured"));
}

TEST_F(RunTest, MissedExpectationIsThree) {
  write("a.yaml", faults("fine") + "    expect:\n      - {distinct_streams: \"== 2\"}\n");
  EXPECT_TRUE(holds(ends(3, "faulty --config a.yaml").out, "distinct_streams"));
  EXPECT_FALSE(json("faults.json")["apod_expectations"][0]["met"].get<bool>());
}

TEST_F(RunTest, AnUndecidedExpectationIsSaidAndFailsOnlyWhereItIsAskedTo) {
  write("a.yaml", faults("fine") + "    expect:\n      - {share_of_ceiling: \"> 50%\"}\n");
  const auto run = passes("faulty --config a.yaml");
  EXPECT_TRUE(holds(run.out, "expectations (0 met, 0 missed, 1 undecided)",
                    "share_of_ceiling > 50% (undecided)", "this device has no ceilings"));
  ends(3, "faulty --config a.yaml --fail-on undecided --out u.xml");
  EXPECT_TRUE(holds(read("u.xml"), "<failure message=\"undecided: ")) << "red as the exit code";
  ends(3, "faulty --config a.yaml --fail-on skipped,undecided");
  passes("faulty --config a.yaml --fail-on skipped");
}

TEST_F(RunTest, JunitHasFailuresErrorsAndWhatWasSkipped) {
  write("a.yaml",
        faults("fine, wrong, absent") + "    expect:\n      - {distinct_streams: \"== 2\"}\n");
  const auto run = fails("faulty --config a.yaml -q -o r.json -o junit.xml --format junit");
  EXPECT_EQ(read("junit.xml"), run.out);
  EXPECT_TRUE(holds(run.out, "tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"1\"",
                    "type=\"expectation\"", "distinct_streams", "no libabsent.so.1 found"));
  EXPECT_EQ(shell("bench show r.json --format junit").out, run.out);
  EXPECT_EQ(run.out.rfind("<?xml", 0), 0U);
}

TEST_F(RunTest, GitHubGetsAnnotationsOfWhatFailedAndOfMissedExpectations) {
  write("a.yaml",
        faults("fine, wrong, absent") + "    expect:\n      - {distinct_streams: \"== 2\"}\n");
  const auto run = fails("GITHUB_ACTIONS=true faulty --config a.yaml -q -o r.json");
  EXPECT_EQ(count(run.out, "\n::error title="), 2) << run.out;
  EXPECT_TRUE(holds(run.out, "::error title=failed%3A faults/wrong",
                    "::error title=expectation%3A faults/fine"));
  const auto quiet = fails("GITHUB_ACTIONS=true faulty --config a.yaml -q --format json");
  EXPECT_TRUE(Json::accept(quiet.out));
  EXPECT_EQ(count(quiet.err, "::error title="), 2);
  EXPECT_TRUE(lacks(shell("faulty --config a.yaml -q").out, "::error"));
}

TEST_F(RunTest, WhatAVariantMissesIsSaid) {
  write("a.yaml", faults("fine, absent, unbuilt"));
  const auto list = passes("faulty --list faults");
  EXPECT_TRUE(holds(passes("faulty --config a.yaml").out, "no libabsent.so.1 found",
                    "built without absent.h"));
  EXPECT_TRUE(holds(list.out, "(no libabsent.so.1 found)", "(built without absent.h)"));
}

TEST_F(RunTest, AVariantOfAFamilyThatIsNotThereIsTold) {
  for (const char* flags : {"--list", "--config a.yaml --dry-run"}) {
    EXPECT_TRUE(holds(shell(std::string("APOD_STRAY=1 faulty ") + flags).err,
                      "bench: variant stray names the family 'fautls', which does not exist (did "
                      "you mean 'faults'?)\n"));
    EXPECT_EQ(shell(std::string("faulty ") + flags).err, "");
  }
}

TEST_F(RunTest, OrderIsThatOfTheSeed) {
  write("a.yaml", faults("fine, chatter"));
  // The rows of a result stand in the order in which they were measured.
  const auto order = [&](int seed) {
    passes("faulty --config a.yaml --set size=64,128,192,256 --seed " + std::to_string(seed));
    const auto file = json("faults.json");
    EXPECT_EQ(file["context"]["apod"]["order_seed"], seed);
    std::vector<std::string> names;
    for (const auto& row : file["benchmarks"]) names.push_back(row["name"]);
    return names;
  };
  const auto first = order(17);
  EXPECT_EQ(first.size(), 8U);
  EXPECT_EQ(order(17), first);
  EXPECT_NE(order(18), first);
}

TEST_F(RunTest, TimersCountEveryPhase) {
  EXPECT_TRUE(
      holds(shell("faulty --config a.yaml --timers").out, "setup", "verify", "warm-up", "sample"));
}

TEST_F(RunTest, ProfileRunsAFixedFewTimes) {
  passes("faulty --config a.yaml --profile --profile-runs 4");
  EXPECT_EQ(json("faults.profile.json")["benchmarks"][0]["iterations"], 4);
  EXPECT_FALSE(exists("faults.json")) << "a profile replaces no study";
}

TEST_F(RunTest, EnvironmentOfGoogleBenchmarkChangesNothing) {
  passes("BENCHMARK_REPETITIONS=3 BENCHMARK_OUT=stray faulty --config a.yaml --set max_samples=50");
  EXPECT_LE(rows()[0]["iterations"].get<int>(), 50);
  EXPECT_FALSE(exists("stray"));
}

TEST_F(RunTest, AnAttachedProfilerKeepsTheRunInOneProcess) {
  write("a.yaml", faults("fine", "processes: 3"));
  passes("NSYS_PROFILING_SESSION_ID=1 faulty --config a.yaml");
  EXPECT_EQ(rows().size(), 1U);
}

TEST_F(RunTest, SmokeConfigRunsByItsBareName) {
  passes("bench --config smoke.yaml --backend host --set cache=hot --out smoke.json");
  EXPECT_EQ(json("smoke.json")["apod_failed"].size(), 0U);
}

}  // namespace
}  // namespace apod::test
